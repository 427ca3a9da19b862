"""The services of Sparrow: each owns its events, and they meet in protos/ only."""
