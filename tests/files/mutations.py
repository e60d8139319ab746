"""Files that something went wrong with: good ones, mutated as people, programs and disks do it.

``mutated(rng, kind)`` gives the name and the bytes of one; the same generator state gives the same file.
"""

import csv
import io
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import xlsxwriter

__all__ = ["KINDS", "mutated"]

CELLS = [
    "", " ", "0", "-1", "1.5", "1e3", "first", "3-May", "05.03.2024", "#N/A", "=1+1", '="007"', "007", "ann", "Ann", "p1",
    "a,b", "a;b", 'a"b', '"', "two\nlines", "tab\there", "\xa0p1\xa0", "\u200bp1", "\ufeff", "é" * 40, "x" * 3000, "staff",
    "STUDENT", "dean", "not judged", "p1 = p2", "=", "NaN", "None", "\x00", "\x1a", "😀", "9" * 30, "grader", "rank", "sep=;",
]  # fmt: skip
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp1252", "latin-1", "mac-roman", "cp037"]


def _roster(rng):
    people = [f"s{number:02d}" for number in range(12)]
    papers = [f"p{number // 2}" for number in range(10)] + ["", ""]
    rows = [
        [who, f"Name {who}", f"{who}@example.org", paper, f"https://example.org/{paper}", "student"]
        for who, paper in zip(people, papers, strict=True)
    ]
    rows[-1][-1] = "staff"
    return [["student", "name", "email", "paper", "link", "role"], *rows]


def _rankings(rng):
    rows = [["grader", "paper", "rank"]]
    for grader in range(8):
        papers = rng.permutation([paper for paper in range(5) if paper != grader // 2])
        rows += [[f"s{grader:02d}", f"p{paper}", str(rank)] for rank, paper in enumerate(papers, 1)]
    return rows


def _wide(rng):
    rows = [["grader", "1", "2", "3", "4"]]
    for grader in range(8):
        rows.append(
            [f"s{grader:02d}", *(f"p{paper}" for paper in rng.permutation([p for p in range(5) if p != grader // 2]))]
        )
    return rows


def _codes(rng):
    return [["paper", "code"], *([f"p{paper}", f"K{paper}"] for paper in range(5))]


def _pairs(first):
    return lambda rng: [[first, "paper"], *([f"s{at:02d}", f"p{(at // 2 + 1) % 5}"] for at in range(10))]


KINDS = {
    "roster": _roster,
    "rankings": _rankings,
    "wide": _wide,
    "codes": _codes,
    "handout": _pairs("grader"),
    "conflicts": _pairs("student"),
}


def mutated(rng: np.random.Generator, kind: str) -> tuple[str, bytes]:
    """The name and the content of a file of this kind with a few mutations."""
    table = KINDS[kind](rng)
    for _ in range(rng.integers(0, 4)):
        _mutate_table(rng, table)
    suffix = rng.choice(["csv", "xlsx", "parquet"], p=[0.6, 0.25, 0.15])
    content = {"csv": _csv, "xlsx": _xlsx, "parquet": _parquet}[suffix](rng, table)
    for _ in range(rng.choice([0, 1, 3], p=[0.4, 0.4, 0.2])):
        content = _mutate_bytes(rng, content)
    if rng.random() < 0.02:
        suffix = rng.choice(["csv", "xlsx", "parquet", "xls", "ods", "txt"])
    return f"{kind}.{suffix}", content


def _mutate_table(rng, table):
    """What people do to a table, in place; rows may be of any length."""
    at, other = rng.integers(0, max(len(table), 1), 2)
    match rng.integers(0, 12):
        case 0 if table:
            table.insert(other, list(table[at]))
        case 1 if table:
            del table[at]
        case 2 if table:
            table[at], table[other] = table[other], table[at]
        case 3:
            table.insert(at, [])
        case 4:
            table.insert(at, [str(rng.choice(CELLS)) for _ in range(rng.integers(0, 6))])
        case 5 if table:
            table[at].append(str(rng.choice(CELLS)))
        case 6 if table and table[at]:
            table[at].pop(rng.integers(0, len(table[at])))
        case 7 if table:
            rng.shuffle(table[at])
        case 8:
            order = rng.permutation(max(map(len, table), default=0))
            table[:] = [[row[column] for column in order if column < len(row)] for row in table]
        case 9 if table and table[0]:
            table[0][rng.integers(0, len(table[0]))] = str(
                rng.choice(CELLS + [name for kind in KINDS.values() for name in kind(rng)[0]])
            )
        case 10:
            table[:] = table[: rng.integers(0, 3)]
        case _ if table and table[at]:
            table[at][rng.integers(0, len(table[at]))] = str(rng.choice(CELLS))


def _csv(rng, table):
    out = io.StringIO(newline="")
    style = {
        "delimiter": str(rng.choice([",", ";", "\t", "|", ":"], p=[0.4, 0.2, 0.2, 0.1, 0.1])),
        "lineterminator": str(rng.choice(["\n", "\r\n", "\r", "\n\n", "\n\r"], p=[0.4, 0.4, 0.1, 0.05, 0.05])),
        "quoting": [csv.QUOTE_MINIMAL, csv.QUOTE_ALL][rng.integers(0, 2)],
    }
    if rng.random() < 0.05:
        out.write(f"sep={style['delimiter']}{style['lineterminator']}")
    csv.writer(out, **style).writerows(table)
    encoding = "utf-8" if rng.random() < 0.7 else str(rng.choice(ENCODINGS))
    return out.getvalue().encode(encoding, "replace")


def _xlsx(rng, table):
    out = io.BytesIO()
    with xlsxwriter.Workbook(out, {"in_memory": True}) as book:
        if rng.random() < 0.1:
            book.add_worksheet("Empty")
        sheet = book.add_worksheet()
        date = book.add_format({"num_format": str(rng.choice(["d-mmm", "yyyy-mm-dd hh:mm", "[h]:mm", "0.00%"]))})
        for at, row in enumerate(table):
            for column, text in enumerate(row):
                chance = rng.random()
                if chance < 0.01:
                    sheet.write_number(at, column, float(rng.choice([0, 1, 2.5, -1e300, 1e15, 45000, 3e6, 0.1])), date)
                elif chance < 0.015:
                    sheet.write_formula(at, column, "=NA()", None, str(rng.choice(["#N/A", "#DIV/0!", "", "7"])))
                elif chance < 0.02:
                    sheet.write_boolean(at, column, bool(rng.integers(0, 2)))
                elif text.isdigit() and len(text) < 9:
                    sheet.write_number(at, column, int(text))
                else:
                    sheet.write_string(at, column, text.replace("\x00", ""))
        if rng.random() < 0.05:
            sheet.merge_range(1, 0, 3, 0, "merged")
        if rng.random() < 0.03:
            sheet.write_string(int(rng.choice([500, 1_048_575])), int(rng.choice([3, 16_383])), "far away")
        if rng.random() < 0.1:
            book.add_worksheet("More").write(0, 0, "more")
    return _with_broken_member(rng, out.getvalue()) if rng.random() < 0.4 else out.getvalue()


def _with_broken_member(rng, content):
    """The archive whole, and something inside of it broken: where damage reaches the readers of its parts."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        names = [name for name in old.namelist() if name.startswith("xl/") and "theme" not in name]
        broken = names[rng.integers(0, len(names))]
        for name in old.namelist():
            if name != broken:
                new.writestr(name, old.read(name))
            elif rng.random() < 0.9:
                new.writestr(name, _mutate_bytes(rng, old.read(name)))
    return out.getvalue()


def _parquet(rng, table):
    header, rows = (table[0], table[1:]) if table else ([], [])
    columns = []
    for at in range(len(header)):
        values = [row[at] if at < len(row) else None for row in rows]
        match rng.integers(0, 8):
            case 0 if all(value is None or (value.isdigit() and len(value) < 9) for value in values):
                columns.append(pa.array([None if value is None else int(value) for value in values], pa.int64()))
            case 1:
                columns.append(pa.array([None if value is None else float(len(value)) for value in values]))
            case 2:
                columns.append(pa.array(values, pa.string()).dictionary_encode())
            case 3 if rng.random() < 0.3:
                columns.append(pa.array(range(len(values)), pa.timestamp("s")))
            case _:
                columns.append(pa.array(values, pa.string()))
    out = io.BytesIO()
    compression = str(rng.choice(["none", "snappy", "zstd"]))
    pq.write_table(pa.Table.from_arrays(columns, names=header), out, compression=compression)
    return out.getvalue()


def _mutate_bytes(rng, content):
    """What disks, networks and careless programs do to a file."""
    if not content:
        return content
    at, other = sorted(int(place) for place in rng.integers(0, len(content), 2))
    match rng.integers(0, 8):
        case 0:
            flipped = bytearray(content)
            for place in rng.integers(0, len(content), rng.integers(1, 6)):
                flipped[place] ^= 1 << int(rng.integers(0, 8))
            return bytes(flipped)
        case 1:
            return content[:at]
        case 2:
            return content[at:]
        case 3:
            return content[:at] + content[other:]
        case 4:
            return content[:other] + content[at:other] + content[other:]
        case 5:
            return content[:at] + rng.bytes(int(rng.integers(1, 20))) + content[at:]
        case 6:
            sign = [b'"', b"\0", b"\r", b"\n", b",", b";", b"\xff", b"\xc3", b"\xef\xbb\xbf", b"'"][rng.integers(0, 10)]
            return content[:at] + sign + content[at:]
        case _:
            old, new = ([b",", b"\n", b'"', b"0", b"r", b"1"][rng.integers(0, 6)] for _ in range(2))
            return content.replace(old, new)
