"""Pages of results: for staff, and for students."""
