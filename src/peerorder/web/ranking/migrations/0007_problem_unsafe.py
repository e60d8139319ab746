"""Graders may report that a paper is unsafe."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("ranking", "0006_comments")]
    operations = [
        migrations.AlterField(
            model_name="problem",
            name="kind",
            field=models.CharField(
                choices=[
                    ("empty", "It is empty or cannot be read"),
                    ("identity", "It shows who wrote it"),
                    ("plagiarism", "It is somebody else's work"),
                    ("unsafe", "It threatens or insults somebody, or its author may need help"),
                    ("other", "Something else"),
                ],
                max_length=10,
            ),
        ),
    ]
