"""What people hand in: text, PDF, images and links, and how graders get to see it."""
