"""The match service owns every solitaire game that people play.

Streams: one per attempt at a level in single player, named by the attempt's id (UUIDv7); one per match of
several seats (who plays, what it brought), named by the match's id, and one per round of it (the deal and the
moves of all seats).
Parts: `facts` holds how attempts end (cleared, left, restarted), how matches begin and end, how rounds end
and what was dealt; `moves` everything else.
Rows: attempts of a player and seats in matches (for lists), best times and paid bonuses of a level, deals
that were used, timers: written in the transaction of the event that they follow from.
Subjects: `sparrow.evt.match.{facts,moves}.<type>.v1.<stream>` by the relay; `sparrow.wake.match` and
`sparrow.live.<stream>` as nudges after a commit; `sparrow.seat.<stream>` when a session begins to watch.
"""
