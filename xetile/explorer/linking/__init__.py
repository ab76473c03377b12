"""A kernel on its way down: its levels as texts, with the places and links of their ops."""
