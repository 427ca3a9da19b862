"""Measurements. Each prints one line of JSON per figure."""
