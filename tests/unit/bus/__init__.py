"""Tests that mirror the tree."""
