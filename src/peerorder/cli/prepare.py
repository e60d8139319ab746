"""``peerorder prepare``: compile everything now rather than at first use."""

from pathlib import Path

import click

from peerorder.core.translation import gettext as _, ngettext, translate

__all__ = ["prepare"]


@click.command(short_help="Compile everything now, for images and read-only installations.")
def prepare() -> None:
    """Compile the inner loops of all rules and commands now, so that nobody waits for them later.

    Otherwise each is compiled when it is first needed. The compiled code is kept beside the program; where that cannot
    be written to, in the cache of your account; or in the folder that the variable NUMBA_CACHE_DIR names. It is
    for this kind of processor, this version of Python and this version of peerorder.

    Example: peerorder prepare
    """
    from peerorder.cli import display, first_use
    from peerorder.core.errors import InputError
    from peerorder.core.jit import cache_folder
    from peerorder.rules.posterior.sampler import run

    folder = cache_folder(run)
    if folder is None:
        raise InputError(
            _(
                "compiled code cannot be kept: neither the installation nor the cache of this account can be written "
                "to; set NUMBA_CACHE_DIR to a folder that can"
            )
        )
    display.announce(f"{translate(first_use.WHAT)} ...")
    count = first_use.prepare(first_use.PARTS)
    if count:
        display.say(
            ngettext("Compiled {count:,} function.", "Compiled {count:,} functions.", count).format(count=count)
        )
    else:
        display.say(_("Everything was compiled already."))
    display.show_plain(_("Compiled code is kept in {folder}.").format(folder=_home(folder)))


def _home(folder: Path) -> Path:
    """Return the folder of all modules, from that of one: they are kept beside their sources, or all in one place."""
    import peerorder

    beside = folder.name == "__pycache__"
    return Path(peerorder.__file__).parent if beside else folder.parent
