"""The Python client of Sparrow: typed, asynchronous, and stubborn about lost replies.

>>> from libs.client.client import SparrowClient
>>> async with await SparrowClient.connect("127.0.0.1:7400") as client:
...     game = await client.start_level(3)
...     update = await game.touch(min(game.board.free))
>>> update.outcome
<Outcome.LIFTED: 'lifted'>

`client` connects and asks, `game` plays one attempt, `tables` plays MCR (its class shows how), `board_view`
is what a seat sees, `results` are the answers, `errors` the refusals, `devices` keeps the device key. Nothing
here imports a server.
"""
