"""What executing in lockstep hides: races, reads of what nothing has written."""
