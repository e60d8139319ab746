"""What the tests of `peerorder assign` share."""

import csv

import networkx as nx

from peerorder.core import child
from peerorder.files import read_codes, read_roster

REGULAR = "student,name,email\n" + "".join(f"s{x:02d},Name {x},s{x}@example.org\n" for x in range(30))


def plain(text):
    """Output without its line breaks."""
    return " ".join(text.split())


def rows(path):
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def handed(path, codes=None):
    """Pairs of grader and paper, by ids."""
    behind = read_codes(codes) if codes is not None else None
    return [(row["grader"], behind[row["paper"]] if behind else row["paper"]) for row in rows(path)]


def written_by(path):
    roster = read_roster(path)
    return {
        student: roster.papers[p] if p >= 0 else None
        for student, p in zip(roster.students, roster.authored, strict=True)
    }


def assert_legal(pairs, path, conflicts=()):
    own = written_by(path)
    assert len({*pairs}) == len(pairs)
    assert all(own[grader] != paper for grader, paper in pairs)
    assert not {*pairs} & {*conflicts}


def hang_together(pairs):
    graph = nx.Graph()
    graph.add_edges_from((f"ballot {ballot}", f"paper {paper}") for ballot, paper in pairs)
    return nx.is_connected(graph)


def write(path, lines):
    path.write_text("grader,paper,rank,ballot\n" + "".join(",".join(map(str, line)) + "\n" for line in lines))


def everybody_but(folder, *who):
    """Conflicts by which one of these alone may rank the paper of s00."""
    students = [row["student"] for row in rows(folder / "roster.csv")]
    lines = [f"{student},s00\n" for student in students if student not in {"s00", *who}]
    (folder / "no.csv").write_text("student,paper\n" + "".join(lines))


def answers(folder, handout, missing, seed):
    """Rankings by those who did their work, in the order of their ids: the true order."""
    codes = read_codes(folder / "codes.csv")
    away = {who for who in written_by(folder / "roster.csv") if child(seed, who).random() < missing}
    ballots = {}
    for row in rows(handout):
        if row["grader"] not in away:
            ballots.setdefault(row["grader"], []).append(row["paper"])
    return [
        (grader, paper, rank)
        for grader, papers in ballots.items()
        for rank, paper in enumerate(sorted(papers, key=codes.get), 1)
    ]


def write_rankings(path, first, second=()):
    lines = [f"{g},{p},{r}," for g, p, r in first] + [f"{g},{p},{r},top-up" for g, p, r in second]
    path.write_text("grader,paper,rank,ballot\n" + "\n".join(lines) + "\n")
