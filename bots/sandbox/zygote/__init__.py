"""What runs inside the zygote and its bots: standard library, engine and protocol, nothing of the arena."""
