"""Layouts for people: views as text, drawings."""
