"""The error of the scoring package."""


class ScoringError(ValueError):
    """Results that cannot be scored.

    `code` is stable: `unknown_entry duplicate_entry bad_result bad_points repeated_criterion`; `value` is what was
    wrong.
    """

    def __init__(self, code: str, message: str, *, value: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.value = value
