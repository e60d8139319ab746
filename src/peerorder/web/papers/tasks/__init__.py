"""What is done to papers from outside, in the sandbox: nothing here knows of Django's settings or the database."""
