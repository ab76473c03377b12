"""Detection of errors that lockstep execution hides: races, and reads of memory before any write."""
