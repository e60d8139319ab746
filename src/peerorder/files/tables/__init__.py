"""Tables of a round: rosters, hand-outs, codes, conflicts, rankings and anchors."""
