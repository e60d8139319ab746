"""What is tried at the start: whether a task can run here, with the libraries that tasks use."""

from importlib import import_module
from pathlib import Path

LIBRARIES = (
    *("PIL.Image", "pikepdf", "pypdfium2", "python_calamine", "numpy", "pyarrow"),
    *("markdown_it", "linkify_it", "mdit_py_plugins.dollarmath", "latex2mathml.converter", "nh3"),
)


def try_out(source: Path, folder: Path) -> str:
    """Read and write a file, load what tasks load, and return what stands in the file."""
    (folder / "trial.out").write_text("written")
    for name in LIBRARIES:
        import_module(name)
    return source.read_text()
