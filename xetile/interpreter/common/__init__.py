"""What ops of several dialects share when they are executed."""
