"""Timestamps of zones: around changes of the clocks, and far from them, ours are those of pylance."""

import datetime
import random
import zoneinfo

import pyarrow as pa
import pytest

ZONES = """
Europe/Berlin America/New_York Australia/Sydney Africa/Casablanca Europe/Dublin Europe/London America/Sao_Paulo Australia/Lord_Howe
America/Havana Africa/Cairo Asia/Beirut Asia/Kathmandu America/Santiago America/Nuuk Asia/Tehran +05:30 -03:30 UTC
""".split()
PARTS = ["year", "quarter", "month", "week", "day", "hour", "minute", "second"]
EXPRESSIONS = (
    [f"date_part('{part}', tz)" for part in PARTS]
    + [f"date_trunc('{part}', tz)" for part in PARTS]
    + """
cast(tz as string) | cast(tz as date) | cast(tz as timestamp) | n - tz | tz - n | tz < d | tz = d | d <= tz | tz in (d) | tz between d and d
tz is distinct from d | tz < date '2024-03-01' | tz in (date '2024-03-01') | tz between date '1950-01-01' and date '2024-03-01'
to_char(tz, '%F %T %z') | to_char(tz, '%:z %::z') | nullif(tz, d) is null | coalesce(d, tz) = d | greatest(tz, d) = d | cast(tz - d as bigint) = 0
""".strip().replace("\n", " | ").split(" | ")
)
UTC = datetime.timezone.utc


def _seconds(year):
    return int(datetime.datetime(year, 1, 1, tzinfo=UTC).timestamp())


def _changes(zone, picks, count):
    """Some instants at which clocks are changed: the reference knows them up to 2100."""
    if "/" not in zone:
        return
    place = zoneinfo.ZoneInfo(zone)

    def offset(second):
        return datetime.datetime.fromtimestamp(second, UTC).astimezone(place).utcoffset()

    for _ in range(count):
        before = picks.randrange(_seconds(1950), _seconds(2099))
        after = before + 200 * 86400
        if offset(before) == offset(after):
            continue
        while after - before > 1:
            middle = (before + after) // 2
            if offset(middle) == offset(before):
                before = middle
            else:
                after = middle
        yield after


@pytest.mark.parametrize("zone", ZONES)
def test_as_pylance(zone, tmp_path):
    pylance = pytest.importorskip("lance")
    import lancecpp

    picks = random.Random(zone)
    seconds = [picks.randrange(_seconds(1830), _seconds(2100)) for _ in range(300)]
    for change in _changes(zone, picks, 20):
        seconds += [change + picks.choice([-7200, -3600, -1800, -1, 0, 1, 1799, 1800, 3600, 7200, 43200]) for _ in range(10)]
    moments = [second * 10**6 + picks.choice([0, 123456]) for second in seconds] + [None]
    days = [None if moment is None else moment // (86400 * 10**6) for moment in moments]
    values = pa.array(moments, pa.int64())
    table = pa.table({
        "tz": values.cast(pa.timestamp("us", zone)),
        "n": values.cast(pa.timestamp("us")),
        "d": pa.array(days, pa.int32()).cast(pa.date32()),
    })
    path = str(tmp_path / "t.lance")
    pylance.write_dataset(table, path)
    theirs, ours = pylance.dataset(path), lancecpp.dataset(path)
    for expression in EXPRESSIONS:
        expected = theirs.to_table(columns={"r": expression})["r"]
        assert ours.to_table(columns={"r": expression})["r"].equals(expected), expression
