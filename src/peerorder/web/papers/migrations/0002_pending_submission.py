from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("papers", "0001_initial")]
    operations = [migrations.RenameModel("Held", "PendingSubmission")]
