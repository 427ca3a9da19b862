"""What spectators may see of a match: facts whose delay has passed, faces that seats had uncovered by then."""
