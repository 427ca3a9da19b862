"""What every call passes through: who calls, whether it may, what it sent, how it ended."""
