"""Optional outside tools: where they are and what they say."""
