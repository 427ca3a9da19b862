"""What the account service decides."""
