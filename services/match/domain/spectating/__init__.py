"""What spectators may see of a match: facts whose delay has passed, faces its seats had uncovered by then."""
