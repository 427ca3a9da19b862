"""How facts are kept: the store's port and its adapters, outbox, feed, consumers, projections, migrations."""
