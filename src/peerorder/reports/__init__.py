"""Reports: sections of HTML for any page, and pages made of sections.

Nothing is loaded here, so that a page that needs a chart does not wait for experiments.
"""
