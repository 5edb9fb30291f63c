"""Many rows of one table, changed by one statement."""

from collections.abc import Sequence

from django.db import connection
from django.db.models import Model


def update_rows(rows: Sequence[Model], fields: Sequence[str]) -> None:
    """Write `fields` of rows of one model that the caller has locked: what `bulk_update` does, some ten times faster.

    `bulk_update` builds an expression for every value; a transaction of the registrar writes hundreds of them.
    """
    if not rows:
        return
    options = rows[0]._meta
    known = {field.name: field for field in options.concrete_fields}
    columns = [known["id"], *(known[name] for name in fields)]
    names = [connection.ops.quote_name(str(field.column)) for field in columns]
    # The first line of VALUES gives the types of all.
    first = ", ".join(f"%s::{field.db_type(connection)}" for field in columns)
    lines = [first, *[", ".join(["%s"] * len(columns))] * (len(rows) - 1)]
    values = [field.get_db_prep_save(getattr(row, field.attname), connection) for row in rows for field in columns]
    statement = (
        f"UPDATE {connection.ops.quote_name(options.db_table)} AS kept "  # noqa: S608 - names of our own models
        f"SET {', '.join(f'{name} = given.{name}' for name in names[1:])} "
        f"FROM (VALUES ({'), ('.join(lines)})) AS given ({', '.join(names)}) WHERE kept.id = given.id"
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        if cursor.rowcount != len(rows):
            raise RuntimeError(f"{len(rows)} rows of {options.label} were to be changed, {cursor.rowcount} were there")
