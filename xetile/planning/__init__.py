"""Decisions: which blocks, which messages. Nothing here changes IR."""
