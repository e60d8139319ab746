"""Files that leave the round: gradebooks of other systems, mail merges and forms."""
