"""Decisions made before IR is rewritten, such as blocks and messages. Nothing in this package changes IR."""
