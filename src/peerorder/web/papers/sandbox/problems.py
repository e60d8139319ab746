"""What can be wrong with a file."""


class Problem(Exception):
    """Something is wrong with the file; the code says what, and becomes words outside."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code
