from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("ranking", "0002_append_only")]
    operations = [
        migrations.AddField(
            model_name="slot",
            name="opened_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
    ]
