"""The command line on whatever input."""
