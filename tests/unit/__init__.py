"""Tests without any input or output."""
