"""The match service owns every solitaire game that people play.

Streams: one per attempt at a level in single player, named by the attempt's id (UUIDv7).
Parts: `facts` holds how attempts end (cleared, left, restarted), `moves` everything else.
Rows: attempts of a player (for lists), best times and paid bonuses of a level: written in the transaction of
the event that they follow from.
Subjects: `sparrow.evt.match.{facts,moves}.<type>.v1.<attempt>` by the relay; `sparrow.wake.match` and
`sparrow.live.<attempt>` as nudges after a commit; `sparrow.seat.<attempt>` when a session begins to watch.
"""
