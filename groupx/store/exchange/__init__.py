"""What goes out of the ledger as a file, and what comes back: backups, exports, imports."""
