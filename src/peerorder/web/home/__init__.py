"""The pages and deeds that look at everything: the first page, a course, a person, erasure."""
