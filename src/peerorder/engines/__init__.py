"""Running many tasks: on the cores of this machine."""

from peerorder.engines.local import default_workers, run_tasks

__all__ = ["default_workers", "run_tasks"]
