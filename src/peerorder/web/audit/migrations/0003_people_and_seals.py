"""Events know whom they are about, those that are there as well; seals; REPLACE and TRUNCATE are refused."""

import django.utils.timezone
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from peerorder.web.database.append_only import append_only, changeable

# The person behind the member whom an event names, unless it is by them.
ABOUT = """
    UPDATE log_event SET about_id = (
        SELECT member.person_id FROM courses_member member
        WHERE member.id = {member} AND (log_event.person_id IS NULL OR member.person_id <> log_event.person_id)
    )
    WHERE {member} IS NOT NULL
"""
MEMBER = {"sqlite": "json_extract(details, '$.member')", "postgresql": "(details ->> 'member')::bigint"}


def fill_in(_apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    editor.execute(ABOUT.format(member=MEMBER[editor.connection.vendor]))


class Migration(migrations.Migration):
    dependencies = [("log", "0002_append_only"), ("courses", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="Seal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                ("table", models.CharField(max_length=60)),
                ("version", models.PositiveSmallIntegerField()),
                ("first_id", models.BigIntegerField()),
                ("last_id", models.BigIntegerField()),
                ("count", models.PositiveIntegerField()),
                ("rows", models.CharField(max_length=64)),
                ("key", models.CharField(max_length=16)),
                ("digest", models.CharField(max_length=64)),
            ],
        ),
        migrations.AddField(
            model_name="event",
            name="about_id",
            field=models.BigIntegerField(null=True),
        ),
        changeable("log_event"),
        migrations.RunPython(fill_in, migrations.RunPython.noop),
        append_only("log_event"),
        append_only("log_seal"),
        migrations.AddIndex(
            model_name="event",
            index=models.Index(fields=["-at"], name="log_event_at"),
        ),
        migrations.AddIndex(
            model_name="event",
            index=models.Index(fields=["course_id", "verb", "-at"], name="log_event_course__09f133_idx"),
        ),
        migrations.AddIndex(
            model_name="event",
            index=models.Index(fields=["person_id", "-at"], name="log_event_person__97cee7_idx"),
        ),
        migrations.AddIndex(
            model_name="event",
            index=models.Index(
                condition=models.Q(("about_id__isnull", False)), fields=["about_id", "-at"], name="log_event_about"
            ),
        ),
        migrations.AddIndex(
            model_name="seal",
            index=models.Index(fields=["table", "-last_id"], name="log_seal_table_a42322_idx"),
        ),
    ]
