"""Facts about mahjong, one at a time."""
