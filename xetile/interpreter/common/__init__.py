"""Helpers for executing ops of several dialects."""
