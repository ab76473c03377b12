"""What the hardware can do: device tables, each number with its unit and source."""
