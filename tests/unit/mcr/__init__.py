"""What the MCR service decides, shown by given/when/then."""
