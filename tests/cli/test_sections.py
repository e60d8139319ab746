"""Help in sections, the two spellings of the mail merge, and notes that name options."""

from peerorder.cli import cli
from peerorder.cli.single_use_options import Group
from peerorder.cli.skipped_rows import translate_notes


def test_help_lists_every_command_once_in_its_section(peerorder):
    out = peerorder("--help").out
    begins = [out.index(f"\n{section}:\n") for section in ("Run a round", "Web app", "Research")]
    assert begins == sorted(begins)
    for name in cli.commands:
        assert out.count(f"\n  {name} ") == 1
    assert (
        begins[0] < out.index("\n  grade ") < begins[1] < out.index("\n  serve ") < begins[2] < out.index("\n  rules ")
    )


def test_mail_merge_and_letters_are_the_same_option(peerorder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "roster.csv").write_text("student\n" + "".join(f"s{number}\n" for number in range(12)))
    written = []
    for option in ("--mail-merge", "--letters"):
        file = f"{option.strip('-')}.csv"
        assert peerorder("assign", "roster.csv", "-k", 3, "--out", f"h-{file}", option, file, "--seed", 1).code == 0
        written.append((tmp_path / file).read_text())
    assert written[0] == written[1]
    assert "--mail-merge, --letters" in peerorder("assign", "--help").out


def test_notes_name_the_options_of_the_command(monkeypatch):
    monkeypatch.setattr(Group, "called", cli.commands["grade"])
    assert translate_notes(["use `unranked` or `nothing`"]) == ["use --unranked or `nothing`"]
