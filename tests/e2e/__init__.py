"""The whole of Sparrow, as a user starts and sees it."""
