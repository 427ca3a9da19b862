"""What the account service decides: names that are allowed, and how sessions are renewed and end."""
