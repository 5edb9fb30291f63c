"""Streams of events to browsers: one reader of Valkey's channels a web process, one bounded queue a stream.

`games.live` publishes; `hub` reads and hands on; `opening` decides who gets which stream and what was missed;
`presence` knows which seats are here.
"""
