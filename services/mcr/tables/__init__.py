"""Tables as they are served: how they begin, are played, followed, left, and who plays for the absent."""
