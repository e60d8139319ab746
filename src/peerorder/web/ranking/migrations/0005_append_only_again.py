from django.db import migrations

from peerorder.web.database.append_only import append_only


class Migration(migrations.Migration):
    """Refuse REPLACE and TRUNCATE as well."""

    dependencies = [("ranking", "0004_ballot_submission")]
    operations = [append_only("ranking_save")]
