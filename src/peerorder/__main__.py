"""``python -m peerorder`` is ``peerorder``."""

from peerorder.cli import main

if __name__ == "__main__":
    main()
