"""The audit log: who did what when. Rows are only ever added."""
