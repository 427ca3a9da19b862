"""Which matches can be watched."""
