"""Get in, get in again, and look after one's own account."""
