"""`sparrow events`: exports, SQL over them, and the live log, on feeds in memory."""
