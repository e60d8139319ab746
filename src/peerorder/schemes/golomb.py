"""Golomb rulers: marks with all differences distinct, the seed of cyclic graphs without 4-cycles.

The bundles {i + marks mod n} have a 4-cycle only where two differences of marks agree mod n, so a
ruler of length L serves every n >= 2 L + 1.
"""

from functools import cache
from itertools import islice
from math import gcd

from peerorder.schemes.planes import prime_power

__all__ = ["ruler"]

# Optimal rulers with 1 to 16 marks; lengths are OEIS A003022 (the rulers: Shearer; Dimitromanolakis).
OPTIMAL: tuple[tuple[int, ...], ...] = (
    (0,),
    (0, 1),
    (0, 1, 3),
    (0, 1, 4, 6),
    (0, 1, 4, 9, 11),
    (0, 1, 4, 10, 12, 17),
    (0, 1, 4, 10, 18, 23, 25),
    (0, 1, 4, 9, 15, 22, 32, 34),
    (0, 1, 5, 12, 25, 27, 35, 41, 44),
    (0, 1, 6, 10, 23, 26, 34, 41, 53, 55),
    (0, 1, 4, 13, 28, 33, 47, 54, 64, 70, 72),
    (0, 2, 6, 24, 29, 40, 43, 55, 68, 75, 76, 85),
    (0, 2, 5, 25, 37, 43, 59, 70, 85, 89, 98, 99, 106),
    (0, 4, 6, 20, 35, 52, 59, 77, 78, 86, 89, 99, 122, 127),
    (0, 4, 20, 30, 57, 59, 62, 76, 100, 111, 123, 136, 144, 145, 151),
    (0, 1, 4, 11, 26, 32, 56, 68, 76, 115, 117, 134, 150, 163, 168, 177),
)

# With more turns of a ruler the best hardly gets shorter, and the search would take minutes at k = 1000.
TURNS = 1000


@cache
def ruler(k: int) -> tuple[int, ...]:
    """Return a short ruler with k marks, from 0: optimal up to 16 marks, then Ruzsa's (1993) cut short."""
    if k <= len(OPTIMAL):
        return OPTIMAL[k - 1]
    primes = (p for p in range(k + 1, 2 * k + 40) if prime_power(p) == (p, 1))
    rulers = (cut for p, _ in zip(primes, range(3), strict=False) for cut in _cuts(p, k))
    return min(rulers, key=lambda marks: (marks[-1], marks))


def _cuts(p: int, k: int) -> list[tuple[int, ...]]:
    """Return the shortest k neighbouring marks of turns of Ruzsa's ruler: p - 1 marks, distinct mod p (p - 1).

    Any factor without a common divisor with the modulus turns it into another such ruler.
    """
    modulus = p * (p - 1)
    g = next(c for c in range(2, p) if _is_primitive(c, p))
    marks = [(p * i + (p - 1) * pow(g, i, p)) % modulus for i in range(1, p)]
    result = []
    for factor in islice((f for f in range(1, modulus) if gcd(f, modulus) == 1), TURNS):
        turned = sorted(factor * mark % modulus for mark in marks)
        around = turned + [mark + modulus for mark in turned]
        first = min(range(p - 1), key=lambda i: around[i + k - 1] - around[i])
        result.append(tuple(mark - around[first] for mark in around[first : first + k]))
    return result


def _is_primitive(g: int, p: int) -> bool:
    value, order = g, 1
    while value != 1:
        value = value * g % p
        order += 1
    return order == p - 1
