"""The ledger refuses UPDATE, DELETE and TRUNCATE; only a test's flush may empty it (`bella.flush`, set by
settings/test)."""

from django.db import migrations

FUNCTION = """
CREATE FUNCTION league_ledger_only_grows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'TRUNCATE' AND current_setting('bella.flush', true) = 'on' THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION 'the rating ledger is append-only: % refused', TG_OP USING ERRCODE = 'restrict_violation';
END
$$;
CREATE TRIGGER league_ratingevent_rows BEFORE UPDATE OR DELETE ON league_ratingevent
    FOR EACH ROW EXECUTE FUNCTION league_ledger_only_grows();
CREATE TRIGGER league_ratingevent_table BEFORE TRUNCATE ON league_ratingevent
    FOR EACH STATEMENT EXECUTE FUNCTION league_ledger_only_grows();
"""
REVERSE = """
DROP TRIGGER league_ratingevent_table ON league_ratingevent;
DROP TRIGGER league_ratingevent_rows ON league_ratingevent;
DROP FUNCTION league_ledger_only_grows();
"""


class Migration(migrations.Migration):
    dependencies = [("league", "0001_first")]

    operations = [migrations.RunSQL(FUNCTION, REVERSE)]
