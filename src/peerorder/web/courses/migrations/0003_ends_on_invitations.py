"""A course ends, and staff are invited."""

from datetime import timedelta

import django.db.models.deletion
import django.utils.timezone
from django.apps.registry import Apps
from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.utils import timezone

import peerorder.web.courses.models

# Nobody is locked out by the upgrade, however old the course is: its instructors have time to move the date.
AT_LEAST = timedelta(days=92)


def end_existing(apps: Apps, _editor: BaseDatabaseSchemaEditor) -> None:
    """End every course 12 months after it was made, but not before ``AT_LEAST`` from now."""
    Course = apps.get_model("courses", "Course")
    earliest = timezone.localdate() + AT_LEAST
    for course in Course.objects.all():
        after_a_year = peerorder.web.courses.models.a_year_after(timezone.localdate(course.created_at))
        Course.objects.filter(pk=course.pk).update(ends_on=max(after_a_year, earliest))


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("courses", "0002_archived_at"),
    ]

    operations = [
        migrations.AddField(
            model_name="course",
            name="ends_on",
            field=models.DateField(default=peerorder.web.courses.models.default_end, verbose_name="end of the course"),
        ),
        migrations.CreateModel(
            name="Invitation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "role",
                    models.CharField(
                        choices=[("instructor", "instructor"), ("assistant", "assistant"), ("student", "student")],
                        max_length=10,
                    ),
                ),
                ("name", models.CharField(blank=True, max_length=200)),
                ("email", models.EmailField(blank=True, max_length=254)),
                ("student", models.CharField(blank=True, max_length=200)),
                ("digest", models.CharField(blank=True, max_length=64, null=True, unique=True)),
                ("emailed", models.BooleanField(default=False)),
                ("invited_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("expires_at", models.DateTimeField()),
                ("accepted_at", models.DateTimeField(blank=True, null=True)),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                (
                    "accepted_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "course",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="invitations", to="courses.course"
                    ),
                ),
                (
                    "invited_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["course", "invited_at"], name="courses_inv_course__a46574_idx")],
            },
        ),
        migrations.RunPython(end_existing, migrations.RunPython.noop),
    ]
