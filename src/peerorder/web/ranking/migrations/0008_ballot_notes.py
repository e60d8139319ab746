"""Graders keep private notes on the papers that they rank."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("ranking", "0007_problem_unsafe")]
    operations = [migrations.AddField("ballot", "notes", models.JSONField(default=dict))]
