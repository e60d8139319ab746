"""What people read at the end: sections of HTML for any page, and pages made of them.

Nothing is loaded here, so that a page that needs a chart does not wait for experiments.
"""
