"""Format 3: the approval table that some old files have goes; a room never asks for approvals."""

NUMBER = 3
NAME = "remove_groupx_approval_store"

STATEMENTS = ("DROP TABLE IF EXISTS approval_requests",)
