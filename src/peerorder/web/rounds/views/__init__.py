"""Pages about assignments."""
