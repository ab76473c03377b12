"""Reading layout attributes."""
