from django.db import migrations, models

from peerorder.web.stored_files import random_file


class Migration(migrations.Migration):
    dependencies = [("papers", "0002_pending_submission")]
    operations = [
        migrations.AddField(
            "Version",
            "original",
            models.FileField(blank=True, default="", upload_to=random_file),
            preserve_default=False,
        )
    ]
