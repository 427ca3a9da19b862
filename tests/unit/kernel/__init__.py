"""The kernel's answers and its borders."""
