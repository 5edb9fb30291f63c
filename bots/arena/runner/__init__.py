"""The local runner, installed as `bella`: play, replay, check, ask, verify, new. No services, no network, no Django.

`commands.main(arguments)` runs one command; one module a command, and one for each thing that they share.
"""
