"""A stack whose library cannot be imported."""

raise ImportError("no such library")
