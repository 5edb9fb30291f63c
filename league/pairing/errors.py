"""The error of the pairing packages."""


class PairingError(ValueError):
    """No pairings can be made from this input.

    `code` is stable: `size_limit already_entered unknown_entry too_many_rounds no_legal_pairing bad_result`; `value` is
    what was wrong.
    """

    def __init__(self, code: str, message: str, *, value: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.value = value
