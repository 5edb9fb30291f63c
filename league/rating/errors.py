"""The error of the rating packages."""


class RatingInputError(ValueError):
    """A period cannot be rated as given; nothing may be written.

    `code` is stable: `score_sum score_value same_subject unknown_subject side_sizes duplicate_match
    duplicate_subject missing_subject no_anchor bad_text no_games`.
    `match` is the code of the match at fault, or an empty string when the period itself is; `value` is what was wrong.
    """

    def __init__(self, code: str, message: str, *, match: str = "", value: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.match = match
        self.value = value
