"""The texts of comments move from the saves, which nobody can change, to a table of their own that can be erased from.

A save keeps a digest of each, by a random key that its ballot has for the paper. Nothing is lost: put together, every
save says what it said. From now on, what could not count is kept in a table of its own as well.
"""

import hashlib
import hmac
import secrets

import django.db.models.deletion
import django.utils.timezone
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from peerorder.web.database.append_only import append_only, changeable
from peerorder.web.database.batches import batches

MANY = 500


def forwards(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    ballot, save, comment = (apps.get_model("ranking", name) for name in ("Ballot", "Save", "Comment"))
    for ballots in batches(list(ballot.objects.order_by("pk").values_list("pk", flat=True)), 100):
        keys: dict[int, dict[str, str]] = {}
        for some in batches(save.objects.filter(ballot__in=ballots).order_by("pk").iterator(MANY), MANY):
            texts = []
            for each in some:
                mine = keys.setdefault(each.ballot_id, {})
                for token, text in each.content.get("comments", {}).items():
                    key = mine.setdefault(token, secrets.token_hex(16))
                    digest = hmac.digest(key.encode(), text.encode(), hashlib.sha256).hex()
                    each.content["comments"][token] = digest
                    texts.append(comment(digest=digest, ballot_id=each.ballot_id, token=token, text=text))
            comment.objects.bulk_create(texts, batch_size=MANY, ignore_conflicts=True)
            save.objects.bulk_update([each for each in some if each.content.get("comments")], ["content"], MANY)
        for begun in ballot.objects.filter(pk__in=ballots):
            begun.comment_keys = keys.get(begun.pk, {})
            # What a ballot says may be in no save: it was begun long ago, or made by hand.
            for token in begun.content.get("comments", {}):
                begun.comment_keys.setdefault(token, secrets.token_hex(16))
            begun.save(update_fields=["comment_keys"])
    _check(editor)


def backwards(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    save, comment, uncounted = (apps.get_model("ranking", name) for name in ("Save", "Comment", "UncountedSave"))
    for some in batches(save.objects.order_by("pk").iterator(MANY), MANY):
        wanted = [digest for each in some for digest in each.content.get("comments", {}).values()]
        texts: dict[str, str] = {}
        for digests in batches(wanted):
            texts.update(comment.objects.filter(pk__in=digests).values_list("digest", "text"))
        for each in some:
            comments = each.content.get("comments", {})
            each.content["comments"] = {token: texts[digest] for token, digest in comments.items() if digest in texts}
        save.objects.bulk_update(some, ["content"], MANY)
    fields = ("ballot_id", "at", "revision", "content", "client", "client_number")
    for last in uncounted.objects.order_by("pk"):
        values = {name: getattr(last, name) for name in fields}
        save.objects.create(**values, late=last.why == "late", conflict=last.why == "conflict")
    _check(editor)


def _check(editor: BaseDatabaseSchemaEditor) -> None:
    if editor.connection.vendor == "postgresql":
        # It changes no table while checks of its rows are still to be made.
        editor.connection.check_constraints()


class Migration(migrations.Migration):
    dependencies = [("ranking", "0005_append_only_again")]
    operations = [
        migrations.AddField(model_name="ballot", name="comment_keys", field=models.JSONField(default=dict)),
        migrations.AddField(model_name="ballot", name="kept_bytes", field=models.PositiveBigIntegerField(default=0)),
        migrations.CreateModel(
            name="Comment",
            fields=[
                ("digest", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("token", models.CharField(max_length=22)),
                ("text", models.TextField()),
                (
                    "ballot",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="comments", to="ranking.ballot"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="UncountedSave",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "why",
                    models.CharField(
                        choices=[
                            ("conflict", "made from an older revision, in another tab"),
                            ("late", "after the deadline"),
                        ],
                        max_length=8,
                    ),
                ),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                ("revision", models.PositiveIntegerField()),
                ("content", models.JSONField()),
                ("client", models.CharField(blank=True, max_length=32)),
                ("client_number", models.PositiveIntegerField(default=0)),
                (
                    "ballot",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="uncounted", to="ranking.ballot"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("ballot", "why"), name="one_uncounted_save_a_kind"),
                ],
            },
        ),
        changeable("ranking_save"),
        migrations.RunPython(forwards, backwards),
        append_only("ranking_save"),
    ]
