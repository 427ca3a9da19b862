"""Protobuf to commands and events of MCR and back: the only translator."""
