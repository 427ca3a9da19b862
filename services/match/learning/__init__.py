"""The learning board, served: nothing of it is stored, the client keeps its position."""
