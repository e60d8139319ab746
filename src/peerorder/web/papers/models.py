"""Papers, who wrote them, and every version that was handed in."""

import secrets

from django.db import models
from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext_lazy as _

from peerorder.web.assignments.models import Assignment
from peerorder.web.courses.models import Member
from peerorder.web.markdown import RULES, as_html, is_quick
from peerorder.web.stored_files import random_file

# Without letters and digits that are easily mistaken.
LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"


def random_code() -> str:
    """Return a name that says nothing about anybody."""
    return "".join(secrets.choice(LETTERS) for _ in range(12))


class Paper(models.Model):
    """The work of a student or a team."""

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="papers")
    code = models.CharField(max_length=12, unique=True, default=random_code)
    current = models.ForeignKey("Version", models.PROTECT, null=True, related_name="+")
    """The last version that was taken."""
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    """Withdrawn by staff: nobody is asked to rank it."""
    withdrawn_because = models.CharField(_("reason"), max_length=500, blank=True)
    """What its authors are told."""
    created_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return self.code


class Authorship(models.Model):
    """Who wrote a paper; nobody has two in an assignment."""

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="authorships")
    paper = models.ForeignKey(Paper, models.CASCADE, related_name="authorships")
    member = models.ForeignKey(Member, models.PROTECT, related_name="authorships")

    class Meta:
        """One paper a student."""

        constraints = (models.UniqueConstraint(fields=("assignment", "member"), name="one_paper_a_member"),)


class Kind(models.TextChoices):
    """What a paper may be."""

    TEXT = "text", _("text")
    PDF = "pdf", _("PDF")
    IMAGE = "image", _("image")
    LINK = "link", _("link")


class State(models.TextChoices):
    """How far a version is on its way to graders."""

    PREPARING = "preparing", _("being prepared")
    READY = "ready", _("ready")
    BROKEN = "broken", _("cannot be shown")
    REPLACED = "replaced", _("replaced before it was prepared")


class Version(models.Model):
    """A paper as it was handed in once. Rows are added, never changed but for their state."""

    paper = models.ForeignKey(Paper, models.CASCADE, related_name="versions")
    kind = models.CharField(max_length=5, choices=Kind.choices)
    text = models.TextField(blank=True)
    """Of a text, its Markdown; of a link, the address."""
    html = models.TextField(blank=True)
    """Of a text, what people see: rendered once, in the sandbox, and never for a look at it."""
    rules = models.PositiveSmallIntegerField(default=0)
    """The rules by which the HTML was made, ``markdown.RULES`` at that time; that of others is made anew."""
    file = models.FileField(upload_to=random_file, blank=True)
    """Of a PDF or an image: without its metadata."""
    original = models.FileField(upload_to=random_file, blank=True)
    """Of a PDF or an image: as it was sent, so that a receipt can be verified; for instructors alone. Empty for what
    was handed in before originals were kept; a text and a link are kept as they were sent anyway."""
    original_name = models.CharField(max_length=255, blank=True)
    """What its author called the file; for its author and staff alone."""
    digest = models.CharField(max_length=64)
    """The SHA-256 of what was sent, for the receipt; empty once its authors were erased."""
    size = models.PositiveBigIntegerField()
    handed_in_by = models.ForeignKey(Member, models.PROTECT, related_name="+")
    handed_in_at = models.DateTimeField(default=timezone.now)
    late = models.BooleanField(default=False)
    state = models.CharField(max_length=9, choices=State.choices, default=State.READY)
    problem = models.CharField(max_length=300, blank=True)
    """Why it cannot be shown."""

    @property
    def shown_html(self) -> SafeString | None:
        """What people see of a text; None while it has to be made anew and that may take long."""
        if self.rules == RULES:
            return mark_safe(self.html)
        return as_html(self.text) if is_quick(self.text) else None


class Page(models.Model):
    """A page of a PDF, or an image, as people see it."""

    version = models.ForeignKey(Version, models.CASCADE, related_name="pages")
    number = models.PositiveIntegerField()
    image = models.FileField(upload_to=random_file)
    width = models.PositiveIntegerField()
    height = models.PositiveIntegerField()
    text = models.TextField(blank=True)
    """What stands on it, for those who cannot see the image."""

    class Meta:
        """Numbered from 1."""

        ordering = ("number",)
        constraints = (models.UniqueConstraint(fields=("version", "number"), name="one_page_a_number"),)


class PendingSubmission(models.Model):
    """Something that was sent and checked, but shows who wrote it: its author is asked whether to hand it in anyway."""

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="+")
    member = models.ForeignKey(Member, models.CASCADE, related_name="+")
    at = models.DateTimeField(default=timezone.now)
    """When it was sent; this counts for the deadline."""
    sent = models.JSONField()
    """The fields of ``submissions.CheckedSubmission``."""
    shows = models.JSONField()
    """What of the author can be read in it."""

    class Meta:
        """One for a student."""

        constraints = (models.UniqueConstraint(fields=("assignment", "member"), name="one_held_a_member"),)
