"""Who is who: accounts, passwords, personal links."""
