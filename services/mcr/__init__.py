"""The MCR service owns the tables of the Mahjong Competition Rules, and scores hands for whoever asks.

Streams: one per table (who sits there, how its deals begin and what they come to), named by the table's id,
and one per deal (the wall and every draw, discard and answer), named by the deal's id; both are UUIDv7.
Parts: `facts` holds what happens to tables, how deals end and the walls that are laid open then; `moves`
everything else.
Rows: who sits where and is there, tables that are open, walls that were dealt, timers: written in the
transaction of the event that they follow from, or, for presence, by the process that holds the stream.
Subjects: `sparrow.evt.mcr.{facts,moves}.<type>.v1.<stream>` by the relay; `sparrow.wake.mcr` and
`sparrow.live.<stream>` as nudges after a commit; `sparrow.seat.<deal>` when a session begins to watch.
"""
