"""All that changes courses and who is in them; a module for each thing that people do."""
