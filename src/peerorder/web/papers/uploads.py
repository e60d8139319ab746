"""Takes in files, and stops reading those that are too large."""

from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, SkipFile
from django.http import HttpRequest

from peerorder.web.people.access import takes_files


class LimitedUpload(FileUploadHandler):
    """Stands before Django's own: a file of any length passes by, and what is too much is never on the disk."""

    received = 0

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """Count each file separately, and skip those that no field asks for."""
        super().new_file(*args, **kwargs)
        self.received = 0
        match = self.request.resolver_match if self.request is not None else None
        if match is None or not takes_files(match.func):
            raise SkipFile

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:  # noqa: ARG002 -- Django calls it so
        """Hand it on, up to the limit."""
        self.received += len(raw_data)
        if self.received > settings.LARGEST_UPLOAD:
            if self.request is not None:
                self.request.META["peerorder.too_large"] = True
            raise SkipFile
        return raw_data

    def file_complete(self, file_size: int) -> "UploadedFile[Any] | None":  # noqa: ARG002
        """Leave the file to Django's own handlers."""
        return None


def was_too_large(request: HttpRequest) -> bool:
    """Return whether a file of the request was left out."""
    return bool(request.META.get("peerorder.too_large"))
