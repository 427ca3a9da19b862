"""`sparrow matches`: a player's matches, and each of them told again pair by pair."""
