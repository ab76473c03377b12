"""The page: its text, scripts and style."""
