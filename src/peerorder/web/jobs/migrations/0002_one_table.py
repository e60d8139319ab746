import django.utils.timezone
from django.db import migrations, models

# Jobs that ran keep no worker, so the first sweep puts them back without counting a crash.
RUN_AFTER = "UPDATE jobs_job SET run_after = enqueued_at"
# The queue was a table of django-tasks-db, which is not installed any more.
DROP_QUEUE = (
    "DROP TABLE IF EXISTS django_tasks_database_dbtaskresult",
    "DELETE FROM django_migrations WHERE app = 'django_tasks_database'",
)


class Migration(migrations.Migration):
    dependencies = [
        ("jobs", "0001_initial"),
    ]

    operations = [
        migrations.RenameModel("Beat", "Heartbeat"),
        migrations.RemoveIndex("job", "jobs_unfinished"),
        # The column stays as it is; only its constraint goes.
        migrations.AlterField(
            "job", "assignment", models.BigIntegerField(db_column="assignment_id", db_index=True, null=True)
        ),
        migrations.RenameField("job", "assignment", "assignment_id"),
        migrations.AlterField("job", "assignment_id", models.BigIntegerField(db_index=True, null=True)),
        migrations.RenameField("job", "asked_at", "enqueued_at"),
        migrations.RemoveField("job", "task"),
        migrations.RemoveField("job", "tasks"),
        migrations.AddField("job", "worker", models.CharField(blank=True, default="", max_length=64)),
        migrations.AddField("job", "crashes", models.PositiveSmallIntegerField(default=0)),
        migrations.AddField("job", "run_after", models.DateTimeField(default=django.utils.timezone.now)),
        migrations.RunSQL(RUN_AFTER, migrations.RunSQL.noop),
        migrations.AddIndex(
            "job", models.Index(condition=models.Q(("finished_at", None)), fields=["run_after"], name="jobs_unfinished")
        ),
        migrations.RunSQL(DROP_QUEUE, migrations.RunSQL.noop),
    ]
