"""Who did what when; it is only ever added to."""
