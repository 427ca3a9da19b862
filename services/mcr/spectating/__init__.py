"""Tables as those see them who have no seat there, a stated delay after the facts."""
