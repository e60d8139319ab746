"""Requests that take their time."""

import io


class SlowBody(io.BytesIO):
    """The body of a request, before whose end something happens."""

    def __init__(self, body, happens):
        super().__init__(body)
        self.happens = happens

    def read(self, *size):
        happens, self.happens = self.happens, None
        if happens is not None:
            happens()
        return super().read(*size)
