"""Tests that crash and suspend real processes."""
