"""Parsing of layout attributes."""
