"""The channel of this build: stamped by a release; a source install is `local`."""

CHANNEL = "local"
