"""The passes, one per file, and the pipelines made of them."""
