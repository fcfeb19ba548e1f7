"""Pure rules and types: no I/O, no trio, no clock, no randomness of its own."""
