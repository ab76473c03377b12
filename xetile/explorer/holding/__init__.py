"""The owners of the elements of each value, and the moves of values between places."""
