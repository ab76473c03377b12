"""Who holds which elements of each value, and how values get from one place to another."""
