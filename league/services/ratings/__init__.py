"""The official Elo: what counts, when it is applied, how it is recomputed and amended.

`planning` decides with the match whether it counts and in which period; `periods` applies a period once all its matches
are over; `rebuild` recomputes a pool from the stored results; `amendments` corrects results. The arithmetic is in
`league.rating`.
"""
