"""The sequence behind `Match.finish_seq`."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("games", "0001_first")]

    operations = [
        migrations.RunSQL("CREATE SEQUENCE games_finish_seq AS bigint", "DROP SEQUENCE games_finish_seq"),
    ]
