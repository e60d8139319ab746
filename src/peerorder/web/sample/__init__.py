"""A sample course to look around in."""
