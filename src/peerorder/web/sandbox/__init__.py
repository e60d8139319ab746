"""Runs code on files from outside in a process of its own that sees nothing but the file: files may be made to do harm.

``runner.run_sandboxed`` is what apps call; ``child`` is what runs in the process. What is done to a file lives with the
app that needs it and is named by its dotted path, so that nothing here knows of PDFs or rosters.
"""
