import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0003_analysis"),
    ]

    operations = [
        migrations.AddField(
            model_name="deal",
            name="moments_ms",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.BigIntegerField(), blank=True, default=list, size=None, verbose_name="played at"
            ),
        ),
        migrations.AddField(
            model_name="deal",
            name="offers",
            field=models.JSONField(blank=True, default=dict, verbose_name="offers to resign"),
        ),
        migrations.AddField(
            model_name="deal",
            name="seqs",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.PositiveIntegerField(),
                blank=True,
                default=list,
                size=None,
                verbose_name="numbers of changes",
            ),
        ),
        migrations.AddField(
            model_name="match",
            name="aids",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=5), blank=True, default=list, size=None, verbose_name="aids"
            ),
        ),
        migrations.AddField(
            model_name="match",
            name="open_hands",
            field=models.BooleanField(default=False, verbose_name="hands are shown"),
        ),
        migrations.AddField(
            model_name="match",
            name="origin_deal",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="continuations",
                to="games.deal",
                verbose_name="continues the deal",
            ),
        ),
        migrations.AddField(
            model_name="match",
            name="origin_ply",
            field=models.PositiveSmallIntegerField(blank=True, null=True, verbose_name="after so many cards"),
        ),
        migrations.AddField(
            model_name="match",
            name="pause",
            field=models.CharField(
                blank=True,
                choices=[("parked", "Parked: nobody is there"), ("silent", "A bot does not answer")],
                default="",
                max_length=8,
                verbose_name="why paused",
            ),
        ),
        migrations.AddField(
            model_name="match",
            name="paused_at",
            field=models.DateTimeField(blank=True, null=True, verbose_name="paused since"),
        ),
        migrations.AddField(
            model_name="match",
            name="ready",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.PositiveSmallIntegerField(),
                blank=True,
                default=list,
                size=None,
                verbose_name="seats ready",
            ),
        ),
        migrations.AddConstraint(
            model_name="match",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("mode", "practice"), models.Q(("aids", []), ("open_hands", False)), _connector="OR"
                ),
                name="match_aids_only_in_practice",
            ),
        ),
        migrations.AddConstraint(
            model_name="match",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("pause", ""), ("paused_at__isnull", True)),
                    models.Q(("paused_at__isnull", False), models.Q(("pause", ""), _negated=True)),
                    _connector="OR",
                ),
                name="match_pause_has_reason",
            ),
        ),
    ]
