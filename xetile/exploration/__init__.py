"""The explorer: every level of a kernel side by side, linked op by op down to the device's instructions."""
