"""Files that staff attach to assignments."""

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

import peerorder.web.stored_files


class Migration(migrations.Migration):
    dependencies = [
        ("rounds", "0003_when_stages_ended"),
    ]

    operations = [
        migrations.CreateModel(
            name="Attachment",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "audience",
                    models.CharField(
                        choices=[("task", "for the task"), ("solution", "with the sample solution")], max_length=8
                    ),
                ),
                ("file", models.FileField(upload_to=peerorder.web.stored_files.random_file)),
                ("name", models.CharField(max_length=150)),
                ("size", models.PositiveBigIntegerField()),
                ("added_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="attachments", to="rounds.assignment"
                    ),
                ),
            ],
        ),
    ]
