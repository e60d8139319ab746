"""Tags about assignments, for templates."""
