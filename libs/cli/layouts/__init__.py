"""`sparrow layouts`: layout files of other programs, read and drawn."""
