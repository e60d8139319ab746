"""What can be wrong with a file."""


class Problem(Exception):
    """Something is wrong with the file; the code says what, and becomes words outside.

    Of its own the sandbox knows ``too-much`` (CPU, memory, bytes or time), ``slow-step`` (a part of the task took
    longer than the task allows), ``busy`` (too many tasks run already), ``unwanted`` (the caller has no use for it any
    more) and ``unknown``.
    """

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code
