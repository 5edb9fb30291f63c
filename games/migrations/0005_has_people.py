"""Whether people sit at a match, written down with it: the arena is given those of bots alone."""

from django.db import migrations, models

FILL = """
UPDATE games_match SET has_people = true
WHERE EXISTS (
    SELECT 1 FROM games_seat AS seat JOIN games_player AS player ON player.id = seat.player_id
    WHERE seat.match_id = games_match.id AND player.kind <> 'bot'
)
"""


class Migration(migrations.Migration):
    dependencies = [("games", "0004_tables")]

    operations = [
        migrations.AddField(
            model_name="match",
            name="has_people",
            field=models.BooleanField(default=False, editable=False, verbose_name="people sit at it"),
        ),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
        migrations.AddIndex(
            model_name="match",
            index=models.Index(
                condition=models.Q(("has_people", False), ("on_hold", False), ("state", "planned")),
                fields=["group", "id"],
                name="match_for_the_arena",
            ),
        ),
    ]
