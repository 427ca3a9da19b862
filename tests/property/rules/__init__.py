"""Facts about mahjong on random input."""
