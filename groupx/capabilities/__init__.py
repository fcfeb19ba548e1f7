"""What an installed program can do, and what proves it."""
