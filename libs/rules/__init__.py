"""What is true about mahjong: pure functions and values, without clock, chance or input and output."""
