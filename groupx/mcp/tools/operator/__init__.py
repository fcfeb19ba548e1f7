"""The tools of the operator's desk: what the assistant does for the user, one file each."""
