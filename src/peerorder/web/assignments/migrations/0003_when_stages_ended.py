"""When handing in and ranking really ended."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("rounds", "0002_tells_students"),
    ]

    operations = [
        migrations.AddField(
            model_name="assignment",
            name="hand_in_ended_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="assignment",
            name="rank_ended_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
    ]
