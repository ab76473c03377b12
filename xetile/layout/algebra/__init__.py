"""The algebra of linear layouts, independent of hardware."""
