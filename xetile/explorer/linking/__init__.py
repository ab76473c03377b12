"""The levels of a kernel as it is lowered, as texts with the places and links of their ops."""
