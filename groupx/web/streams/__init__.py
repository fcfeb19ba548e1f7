"""The two live faces of the room; one cursor loop behind both."""
