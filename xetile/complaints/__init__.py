"""Errors of xDSL's parser and verifiers, rewritten to say what is there and what to write."""
