"""What hands are worth, for whoever asks; nothing is kept."""
