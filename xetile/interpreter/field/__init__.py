"""A second domain: floats are elements of a prime field, in which sums do not depend on their order."""
