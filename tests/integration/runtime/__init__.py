"""Tests of the embedded servers and of the foreground process."""
