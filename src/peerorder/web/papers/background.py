"""Draw the pages of PDFs, and clear away what nobody came back for."""

import shutil
import time
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.html import linebreaks
from django.utils.translation import gettext as _, gettext_lazy

from peerorder.web.jobs.models import Job
from peerorder.web.jobs.registry import Progress, background
from peerorder.web.jobs.services import enqueue
from peerorder.web.jobs.worker import TICK, periodic
from peerorder.web.markdown import RULES
from peerorder.web.papers.models import Kind, Page, Paper, PendingSubmission, State, Version
from peerorder.web.papers.queries import stored_files
from peerorder.web.papers.services import discard_pending
from peerorder.web.papers.submissions import Rejected, as_safe_html, begins_with, is_size, problem_text
from peerorder.web.sandbox.problems import Problem
from peerorder.web.sandbox.runner import Limits, run_sandboxed
from peerorder.web.stored_files import incoming, keep

DRAW = "peerorder.web.papers.tasks.pdf:draw_pages"
# What drawing may take, and a page of it in ``tasks.pdf``: docs/howto/running.md has what honest papers do take.
SECONDS, OUTPUT = 45, 64 * 2**20
MOST_PAGES, MOST_LETTERS = 200, 20_000
FORGOTTEN = timedelta(days=1)


@background("pages", title=gettext_lazy("Preparing a paper"), queue="papers")
def draw(job: Job, progress: Progress) -> str:
    """Make the pages of a version. All appear at once; a second run finds nothing to do."""
    version = Version.objects.filter(pk=job.about["version"], state=State.PREPARING).first()
    if version is None:
        return _("Nothing left to do.")
    if not _is_current(version):
        return _skip(version)
    try:
        with incoming() as folder:
            limits = Limits(SECONDS, output=OUTPUT)
            done = run_sandboxed(DRAW, Path(version.file.path), folder, limits, is_wanted=lambda: _is_current(version))
            return _show(version, _check_pages(done, folder), folder)
    except Problem as problem:
        if problem.code == "unwanted":
            return _skip(version)
        _break([version.pk], problem_text(problem.code))
    return _("A paper cannot be shown; its authors see why.")


def _is_current(version: Version) -> bool:
    """Return whether this is the version that its authors want to be seen."""
    return Paper.objects.filter(current=version.pk).exists()


def _skip(version: Version) -> str:
    Version.objects.filter(pk=version.pk, state=State.PREPARING).update(state=State.REPLACED)
    return _("The paper was replaced by another version.")


def _check_pages(done: Any, folder: Path) -> list[dict[str, Any]]:
    """Return the pages, if what the sandbox says and wrote is as it should be; it is trusted as the PDF is."""
    try:
        pages = [{key: page[key] for key in ("width", "height", "text")} for page in done["pages"]]
        good = 1 <= len(pages) <= MOST_PAGES and all(
            is_size(page["width"])
            and is_size(page["height"])
            and isinstance(page["text"], str)
            and len(page["text"]) <= MOST_LETTERS
            and begins_with(folder / f"{number}.webp", b"WEBP", 8)
            for number, page in enumerate(pages, 1)
        )
    except (OSError, KeyError, TypeError):
        good = False
    if not good:
        raise Problem("unknown")
    return pages


def _show(version: Version, pages: list[dict[str, Any]], folder: Path) -> str:
    names = [keep(folder / f"{number}.webp") for number in range(1, len(pages) + 1)]
    try:
        with transaction.atomic():
            version = Version.objects.select_for_update().get(pk=version.pk)
            mine = version.state == State.PREPARING
            if mine:
                Page.objects.bulk_create(
                    Page(version=version, number=number, image=name, **page)
                    for number, (name, page) in enumerate(zip(names, pages, strict=True), 1)
                )
                version.state = State.READY
                version.save(update_fields=["state"])
    except BaseException:
        _delete(names)
        raise
    if not mine:
        # Another worker was faster.
        _delete(names)
    return _("The pages of a paper are ready.")


def _delete(names: list[str]) -> None:
    for name in names:
        default_storage.delete(name)


def _break(versions: list[int], problem: str) -> None:
    Version.objects.filter(pk__in=versions, state=State.PREPARING).update(state=State.BROKEN, problem=problem[:300])


@background("texts", title=gettext_lazy("Preparing texts"), queue="papers")
def render(job: Job, progress: Progress) -> str:
    """Make the HTML of texts that was made by other rules, or never."""
    while version := _outdated().order_by("-pk").first():
        html: str
        try:
            html = as_safe_html(version.text)
        except Rejected:
            # It was taken once. So it is shown, as it was typed.
            html = linebreaks(version.text, autoescape=True)
        # Not where its author was erased meanwhile.
        Version.objects.filter(pk=version.pk, text=version.text).update(html=html, rules=RULES)
    return _("All texts are ready.")


def _outdated() -> QuerySet[Version]:
    return Version.objects.filter(kind=Kind.TEXT).exclude(rules=RULES)


@periodic
def render_outdated() -> None:
    """Have texts rendered anew after an upgrade; it is looked for once a minute."""
    if time.time() % 60 < TICK and _outdated().exists():
        enqueue("texts", key="texts")


@periodic
def break_failed() -> None:
    """Tell the authors of papers whose job has failed, or nobody would ever see them, and ranking could not begin."""
    preparing = list(Version.objects.filter(state=State.PREPARING).values_list("pk", flat=True))
    failed = Job.objects.filter(kind="pages", state=Job.State.FAILED, about__version__in=preparing) if preparing else ()
    problem = _("The server had a problem. Hand it in again; if that does not help, tell your instructor.")
    _break([job.about["version"] for job in failed], problem)


@periodic
def clear_away() -> None:
    """Forget what was pending and never handed in, and what a process that was killed left half done."""
    for pending in PendingSubmission.objects.filter(at__lt=timezone.now() - FORGOTTEN)[:100]:
        discard_pending(pending)
    place = Path(settings.MEDIA_ROOT) / "incoming"
    for folder in place.iterdir() if place.is_dir() else ():
        try:
            if time.time() - folder.stat().st_mtime > FORGOTTEN.total_seconds():
                shutil.rmtree(folder, ignore_errors=True)
        except FileNotFoundError:
            # Its owner has just finished.
            continue


@periodic
def sweep_uploads() -> None:
    """Look through one of the 256 folders of uploads each minute, so that each is looked at several times a day."""
    minute, seconds = divmod(time.time(), 60)
    if seconds < TICK:
        sweep_folder(Path(settings.MEDIA_ROOT) / f"{int(minute) % 256:02x}")


def sweep_folder(folder: Path) -> None:
    """Delete files that no row names and that are older than a day: a process was killed before it wrote the row."""
    old = []
    for path in folder.iterdir() if folder.is_dir() else ():
        with suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime > FORGOTTEN.total_seconds():
                old.append(f"{folder.name}/{path.name}")
    if old:
        _delete(sorted(set(old) - stored_files(old)))
