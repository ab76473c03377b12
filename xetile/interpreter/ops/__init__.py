"""What the ops mean, a file per dialect."""
