"""Facts of tournaments, to stored bytes and back."""
