"""Pages that look at everything."""
