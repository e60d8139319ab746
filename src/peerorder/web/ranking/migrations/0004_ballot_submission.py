"""What counts of a ballot becomes a pointer to the save that handed it in, instead of a copy of its content.

Where there is no such save (a ranking could be handed in without one), it is added: the content that counted stays.
"""

import django.db.models.deletion
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

POINT = """
    UPDATE ranking_ballot SET submission_id = (
        SELECT MAX(save.id) FROM ranking_save save
        WHERE save.ballot_id = ranking_ballot.id AND save.hands_in AND save.content = ranking_ballot.handed_in
        AND save.at = COALESCE(ranking_ballot.handed_in_at, ranking_ballot.updated_at)
    )
    WHERE handed_in IS NOT NULL AND submission_id IS NULL
"""
ADD = """
    INSERT INTO ranking_save (ballot_id, at, revision, content, client, client_number, hands_in, conflict, late)
    SELECT id, COALESCE(handed_in_at, updated_at), revision, handed_in, '', 0, TRUE, FALSE, FALSE
    FROM ranking_ballot WHERE handed_in IS NOT NULL AND submission_id IS NULL
"""
COPY_BACK = """
    UPDATE ranking_ballot SET
        handed_in = (SELECT content FROM ranking_save WHERE id = ranking_ballot.submission_id),
        handed_in_at = (SELECT at FROM ranking_save WHERE id = ranking_ballot.submission_id)
    WHERE submission_id IS NOT NULL
"""


def forwards(_apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    _run(editor, POINT, ADD, POINT)


def backwards(_apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    _run(editor, COPY_BACK)


def _run(editor: BaseDatabaseSchemaEditor, *statements: str) -> None:
    with editor.connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
    if editor.connection.vendor == "postgresql":
        # It changes no table while checks of its rows are still to be made.
        editor.connection.check_constraints()


class Migration(migrations.Migration):
    dependencies = [("ranking", "0003_slot_opened_at")]
    operations = [
        migrations.AddField(
            model_name="ballot",
            name="submission",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="ranking.save",
            ),
        ),
        migrations.RunPython(forwards, backwards),
        migrations.RemoveField(model_name="ballot", name="handed_in"),
        migrations.RemoveField(model_name="ballot", name="handed_in_at"),
    ]
