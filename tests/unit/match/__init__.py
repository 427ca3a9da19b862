"""What the match service decides, shown by given/when/then."""
