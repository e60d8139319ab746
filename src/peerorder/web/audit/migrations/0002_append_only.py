from django.db import migrations

from peerorder.web.database.append_only import append_only


class Migration(migrations.Migration):
    dependencies = [("log", "0001_initial")]
    operations = [append_only("log_event")]
