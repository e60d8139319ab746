"""English, with a day before its month's name, which nobody misreads, and the clock of 24 hours."""

DATE_FORMAT = "j M Y"
DATETIME_FORMAT = "j M Y, H:i"
SHORT_DATETIME_FORMAT = "j M, H:i"
TIME_FORMAT = "H:i"
