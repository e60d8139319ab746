"""Pages of papers: for those who hand in, for those who read, and for staff."""
