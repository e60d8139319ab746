"""Mails know people, courses and assignments by their ids alone."""

from typing import Any

from django.db import migrations, models

FIELDS: dict[str, dict[str, Any]] = {
    "person": {"db_index": True},
    "course": {"null": True},
    "assignment": {"null": True, "db_index": True},
}


class Migration(migrations.Migration):
    dependencies = [("mail", "0002_printed")]

    operations = [
        migrations.RemoveIndex("mail", "mails_of_a_course"),
        *(
            operation
            for name, options in FIELDS.items()
            for operation in (
                # The column keeps its name and what is in it; only the constraint goes.
                migrations.AlterField("mail", name, models.BigIntegerField(db_column=f"{name}_id", **options)),
                migrations.RenameField("mail", name, f"{name}_id"),
                migrations.AlterField("mail", f"{name}_id", models.BigIntegerField(**options)),
            )
        ),
        migrations.AddIndex("mail", models.Index(fields=["course_id", "-queued_at"], name="mails_of_a_course")),
    ]
