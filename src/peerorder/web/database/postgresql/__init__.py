"""Django's PostgreSQL, with a cheaper look at whether a connection is still good."""
