"""SPIR-V and the instructions of the device, linked to the ops of level L."""
