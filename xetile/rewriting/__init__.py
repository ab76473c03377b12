"""How passes rewrite: one value to many, positions, index arithmetic from layouts."""
