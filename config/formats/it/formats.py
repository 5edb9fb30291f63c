"""How dates that no template formats are written in Italian: as on our own pages."""

DATE_FORMAT = "j b Y"
DATETIME_FORMAT = "j b Y, H:i"
TIME_FORMAT = "H:i"
