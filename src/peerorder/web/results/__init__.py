"""Results: from rankings to marks that students see."""
