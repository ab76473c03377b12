"""Optional outside tools: their places and their output."""
