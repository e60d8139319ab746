"""Pages of ranking: for those who rank, and for staff."""
