"""Streams of live updates (games.streams)."""

#: Seconds between two signs of life of a stream, and between two looks at whether its viewer may still have it.
LIVE_HEARTBEAT_S = 15.0
LIVE_RECHECK_S = 60.0
#: Seconds after which a stream whose process does not renew it counts as dead: two heartbeats and something.
LIVE_DEAD_S = 35.0
#: Seconds without a stream after which a seat is shown as gone, and after the end of a match until its streams end.
LIVE_AWAY_S = 5.0
LIVE_AFTER_END_S = 60.0
#: Streams at a time: of one person, of one address without a name (a school is one), and of this process; those beyond
#: it get 503, and their pages ask for the state every few seconds instead.
LIVE_STREAMS_A_PERSON = 4
LIVE_STREAMS_AN_ADDRESS = 64
LIVE_STREAMS_A_PROCESS = 2000
#: Messages that wait for a slow reader; one more ends its stream.
LIVE_QUEUE = 100
