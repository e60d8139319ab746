"""What templates may use of the monitor."""
