"""The pages of courses and of the people in them."""
