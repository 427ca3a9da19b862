"""The kernel under sanitizers: recorded positions, random ones, and inputs nobody means."""
