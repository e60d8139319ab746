"""What is done to files from outside: in a process of its own, because files may be made to do harm.

Nothing here knows of Django's settings, the database or any secret. ``runner`` starts it, from the other side.
"""
