"""Prima Carta: the first card of its hand, whatever it is."""


def play(view):
    """The answer to one request."""
    return view.legal[0]
