"""What the students of the sample course are called, and their answers to a little exercise, good and bad."""

NAMES = (
    *("Aino Laine", "Akira Mori", "Alba Ferrer", "Amara Okafor", "Anders Holm", "Anjali Rao", "Arturo Vega"),
    *("Beatriz Lopes", "Bogdan Ilić", "Brigid Walsh", "Carmen Ruiz", "Chidi Eze", "Clara Weiss", "Daan Visser"),
    *("Dalia Haddad", "Dimitris Pappas", "Eleni Georgiou", "Emeka Obi", "Emil Sørensen", "Esra Kaya", "Fatima Zahra"),
    *("Felix Baumann", "Freya Lund", "Giulia Conti", "Grace Mensah", "Hana Novák", "Hassan Ali", "Hugo Martin"),
    *("Ines Costa", "Ingrid Dahl", "Ivan Petrov", "Jamila Said", "Jonas Berg", "Julia Kowalska", "Kaito Sato"),
    *("Karin Roth", "Kwame Boateng", "Lars Nyberg", "Leila Farouk", "Lin Wei", "Lucia Moretti", "Magnus Aas"),
    *("Maja Horvat", "Marta Silva", "Mehmet Demir", "Mina Park", "Nadia Karim", "Nils Friis", "Noor Aziz"),
    *("Olga Ivanova", "Omar Diallo", "Paula Jensen", "Priya Nair", "Rafael Santos", "Rosa Medina", "Samir Bakr"),
    *("Sofia Lindqvist", "Tomas Dvořák", "Yara Mansour", "Zofia Nowak"),
)

EXERCISE = """A sorted list of n numbers is searched for a number x by *binary search*: compare x with the number in the
middle, and go on in the half where x must be.

1. Explain why it finds x whenever x is there.
2. How many comparisons does it need at most? Explain why.
3. Show it on a list of seven numbers.

Half a page is enough.
"""

INSTRUCTIONS = """Put first what you would give to a friend who does not understand binary search.

Look for: is the argument right, is it complete, is the number of comparisons right **and explained**, does the
example show what happens? Spelling does not count.
"""

SOLUTION = """If x is in the list, it is in the part that is left at every step: numbers that are thrown away are all
smaller than x, or all larger. The part gets smaller every time, so the search ends, and it can only end at x.

Every comparison leaves at most half of the numbers, rounded down. After t comparisons at most n / 2^t are left, so
⌊log₂ n⌋ + 1 comparisons are always enough. For n = 7 that is 3.
"""

# The parts of an answer, each from good to bad.
PARTS = (
    (
        "**Why it works.** At every step, if x is in the list at all, then it is in the part that we still look at. "
        "At the beginning that is the whole list. If x is larger than the middle number, then everything to the left "
        "of the middle is smaller than x as well, because the list is sorted, so throwing it away loses nothing; the "
        "other case is the same. The part gets smaller every time, so we stop, and if x is there we stop at x.",
        "**Why it works.** The list is sorted. When x is larger than the middle number, x cannot be in the left half, "
        "so we only need the right half. When it is smaller it is the other way round. So we never lose x.",
        "**Why it works.** We always go to the half where x is, so in the end we find it.",
        "**Why it works.** It works because binary search is a well-known algorithm that is used everywhere, for "
        "example in databases, and it has been shown to be correct.",
        "**Why it works.** We look at all numbers one after another until we find x, but faster.",
    ),
    (
        "**How many comparisons.** One comparison leaves at most half of the numbers, rounded down. After t "
        "comparisons at most n / 2^t are left. As soon as this is below 1 nothing is left, so ⌊log₂ n⌋ + 1 "
        "comparisons are enough. And they can be needed: if x is larger than everything, the right half is always "
        "the one that is left.",
        "**How many comparisons.** Every comparison halves the list. We can halve n about log₂ n times until one "
        "number is left, and that one has to be compared too. So it is log₂ n + 1, rounded down.",
        "**How many comparisons.** About log n, because we always divide by two.",
        "**How many comparisons.** At most n / 2, because we only look at half of the list.",
        "**How many comparisons.** It depends on the list. Sometimes it is found at once and sometimes it takes long.",
    ),
    (
        "**Example.** 2, 3, 5, 7, 11, 13, 17 and x = 11. The middle is 7, and 11 is larger: left are 11, 13, 17. The "
        "middle is 13, and 11 is smaller: left is 11. Found, with 3 comparisons, as many as the formula says for "
        "n = 7. With x = 12 the same steps end with nothing left, so 12 is not there.",
        "**Example.** 1, 4, 6, 8, 9, 12, 20 and x = 9. Compare with 8: go right. Compare with 12: go left. Compare "
        "with 9: found. That was 3 comparisons.",
        "**Example.** 1, 2, 3, 4, 5, 6, 7 and x = 4. The middle is 4, so we have found it at once.",
        "**Example.** In 10, 20, 30, 40, 50, 60, 70 we look for 70: right, right, right, found.",
        "**Example.** 5, 3, 9, 1, 7, 2, 8. We look for 9: the middle is 1, so we go right. It is not found.",
    ),
)

# What graders say of their papers, the best one first.
COMMENTS = (
    (
        "Complete and easy to follow. I would give this one to a friend.",
        "Good argument. The count of comparisons could be explained a little better.",
        "Right on the whole, but the reason why nothing is lost is missing.",
        "The example helps, the rest is more a claim than an argument.",
        "I do not see why it should find x.",
    ),
    (
        "Every step has a reason, and the example fits the formula.",
        "Short and right.",
        "The number of comparisons is right but not explained.",
        "Only says that it works, not why.",
        "The number of comparisons is wrong, and the list of the example is not sorted.",
    ),
    (
        "Best of mine: says what stays true at every step.",
        "Nearly as good. One sentence on when it stops would help.",
        "Fine, though x is found at once in the example, so it shows little.",
        "There is an idea, but half of the task is missing.",
        "This is about searching one by one.",
    ),
)

# Problems that graders reported, by kind and text, and what staff said to the first.
REPORTS = (
    ("other", "The formula in the second part is cut off on my phone."),
    ("plagiarism", "The explanation is word for word that of a well-known textbook."),
)
ANSWER = "Thank you. Turn the phone, or read it on a larger screen; the paper itself is whole."
