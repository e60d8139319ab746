"""What is special about our database: written-out SQL, append-only tables, the PostgreSQL back end."""
