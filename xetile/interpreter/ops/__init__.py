"""The handlers of ops, a file per dialect."""
