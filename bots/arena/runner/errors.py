"""What ends a command with a wrong use."""


class UsageError(Exception):
    """A call that cannot be worked with. The text is one line that says what to do; the exit status is 2."""
