"""SQL, transactions, formats. The only layer that knows SQLite."""
