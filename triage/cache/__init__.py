"""What was fetched, parsed and answered before: memory, SQLite, Redis, once only."""
