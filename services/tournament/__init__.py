"""The tournament service owns the calendar, registration, standings and prizes; matches are played elsewhere.

Streams: one per series and one per tournament, both UUIDv7. Parts: `facts` alone.
Rows: where tournaments stand, for lists; what the match service was asked; timers: written in the transaction
of the event that they follow from.
Subjects: `sparrow.evt.tournament.facts.<type>.v1.<stream>` by the relay; `sparrow.wake.tournament` and
`sparrow.live.<stream>` as nudges after a commit.
"""
