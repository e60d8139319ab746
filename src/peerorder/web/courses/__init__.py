"""Courses, their sections and members, and rosters."""
