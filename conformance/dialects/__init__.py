"""One module for each protocol: neutral scripts → scenarios of its scripted agent."""
