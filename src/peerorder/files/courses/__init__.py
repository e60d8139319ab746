"""Many courses: finding them, in folders or by a column, and grading each into a folder of its own."""
