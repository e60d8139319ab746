from django.db import migrations

from peerorder.web.database.append_only import append_only


class Migration(migrations.Migration):
    dependencies = [("ranking", "0001_initial")]
    operations = [append_only("ranking_save")]
