"""The exercises of the sample course, with answers from good to bad and what graders say about them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Exercise:
    """An assignment with everything that is written in it."""

    title: str
    task: str
    instructions: str
    solution: str
    parts: tuple[tuple[str, ...], ...]
    """The parts of an answer, each from good to bad."""
    comments: tuple[tuple[str, ...], ...]
    """What graders say about their papers, the best one first: each begins with an ``OPENINGS`` of that place."""


OPENINGS = (
    (
        *("I put this one first.", "Excellent work!", "My favourite.", "This is how I wish I had written mine."),
        *("A pleasure to read.", "By far the best of my five.", "Very clear from beginning to end.", "Well done!"),
        *("I have nothing to add.", "Both right and easy to follow.", "Convincing.", "I learnt something here."),
        *("Great answer.", "You clearly know what you are doing.", "Top of my list.", "Short, and all of it matters."),
        *("I read it twice, because I liked it.", "Strong in all three parts.", "Wow."),
    ),
    (
        *("A good answer.", "I liked this one.", "Nearly as good as the best one.", "Solid work."),
        *("Clear and to the point.", "Mostly very good.", "You explain well.", "Good, with a small gap."),
        *("I was close to putting it first.", "This works for me.", "Well structured.", "Nice."),
        *("Easy to read.", "I could follow every step but one.", "A fine answer on the whole.", "Careful work."),
        *("Good thinking.", "There is little to complain about.", "Second on my list."),
    ),
    (
        *("In the middle of my list.", "This is all right.", "There are good ideas here.", "Mixed feelings."),
        *("Some parts are better than others.", "Not bad at all.", "I see what you mean.", "Half of it convinced me."),
        *("A fair answer.", "The beginning is the best part.", "Readable.", "It needs one more pass."),
        *("I had to guess here and there.", "Fine, but I expected a little more.", "You are on the right track."),
        *("Between good and incomplete.", "I hesitated where to put it.", "OK on the whole.", "A start."),
    ),
    (
        *("I missed something here.", "There is an idea in this.", "Too short for me.", "I was not convinced."),
        *("I could not follow all of it.", "Parts of the task are left out.", "Please explain more next time."),
        *("The other papers said more.", "It reads like a first draft.", "More a claim than an argument."),
        *("I agree with some of it.", "The reasons are missing.", "With an example it would be better."),
        *("This needs more work.", "I see the plan, not the steps.", "Rather vague.", "Hard to follow."),
        *("I wanted to like it.", "Only the first part helped me."),
    ),
    (
        *("Sorry, I put this one last.", "I think there is a mistake.", "This did not help me.", "Try again!"),
        *("I do not understand this.", "Something went wrong here.", "Please have a look at the lecture again."),
        *("It answers another question.", "The argument does not hold.", "Too little to judge it by."),
        *("I could not find the reason.", "The result is not right.", "Do not give up."),
        *("Start with a small example.", "I read it twice and am still lost.", "The main point is missing."),
        *("Compare it with the solution.", "There is not much here.", "It looks unfinished."),
    ),
)
"""What comments begin with, by the place that the paper got among those of its grader."""

LARGEST = Exercise(
    title="Exercise 1: The largest number",
    task="""Describe a way to find the **largest of n numbers** by comparing two numbers at a time.

1. Explain why it finds the largest one.
2. How many comparisons does it need? Can it be done with fewer?
3. What happens if the largest number is there twice?
""",
    instructions="""Put first what explains the most in the fewest words. An answer without a reason is worth little,
however right it is.
""",
    solution="""Go through the numbers and remember the largest so far; compare every next number with it. What is
remembered is always the largest of those that were looked at. That needs $n - 1$ comparisons. Fewer are not enough:
every number but one must lose a comparison, and each comparison has one loser.
""",
    parts=(
        (
            "**Why it works.** I keep the largest number so far. At the beginning that is the first one. Whenever the "
            "next number is larger, it takes its place. So after every step I hold the largest of all numbers that I "
            "have looked at, and at the end I have looked at all numbers.",
            "**Why it works.** I go through the list and always keep the larger one of two. At the end the largest "
            "number is left, because nothing larger was thrown away.",
            "**Why it works.** You compare all numbers and take the largest.",
            "**Why it works.** I sort the numbers first. The last one is then the largest.",
        ),
        (
            "**Comparisons.** There are $n - 1$, one for every number but the first. Fewer cannot be enough: each "
            "number that is not the largest must have lost once, or we could not rule it out, and a comparison has "
            "only one loser.",
            "**Comparisons.** It takes $n - 1$ comparisons. I think fewer are not possible, because every number has "
            "to be looked at.",
            "**Comparisons.** It takes $n$ comparisons, one for each number.",
            "**Comparisons.** It takes about $n^2$ comparisons, since every number is compared with every other.",
        ),
        (
            "**Twice.** Then the second one is not larger, so the first one is kept. The value is right either way; if "
            "I want the last one instead, I replace it also when both are equal.",
            "**Twice.** It makes no difference, both are the largest.",
            "**Twice.** Then one of the two is deleted first.",
            "**Twice.** That cannot happen, since all numbers are different.",
        ),
    ),
    comments=(
        (
            "The argument about losers is convincing. I learnt something.",
            "Clear. You could say why fewer comparisons are not enough.",
            "Right idea, but the number of comparisons is off by one.",
            "It says what to do and not why it works.",
            "Sorting first is much more work than needed.",
        ),
        (
            "The last part thinks of things that I had not seen.",
            "I would have liked a word on equal numbers.",
            "One comparison fewer would do.",
            "Why is nothing larger thrown away?",
            "It is not about sorting.",
        ),
        (
            "Very good: says what is true after every step.",
            "Good answer, a bit short in the second part.",
            "I missed a reason in the first part.",
            "The last part is not answered.",
            "Please read the task again: two numbers at a time.",
        ),
    ),
)

LOOPS = Exercise(
    title="Exercise 2: Two loops",
    task="""Look at this program, where `a` is a list of n numbers:

```
for i in range(n):
    for j in range(i + 1, n):
        if a[i] == a[j]:
            return True
return False
```

1. What does it compute?
2. How often are two numbers compared, at most?
3. Describe a faster way.
""",
    instructions="""Put first the answer that would convince somebody who doubts it. Look at the count and at whether
the faster way is really faster.
""",
    solution=r"""It says whether two numbers of the list are equal. There are $n(n - 1) / 2$ pairs, and each is compared
at most once. After sorting, equal numbers are neighbours: sorting takes about $n \log n$ comparisons, and $n - 1$ more
are enough.
""",
    parts=(
        (
            "**What it does.** It looks at every pair of different positions once, because j is always behind i. It "
            "returns True as soon as two numbers are equal, and False if there is no such pair. So it says whether "
            "the list has a number twice.",
            "**What it does.** It checks if there is a duplicate in the list.",
            "**What it does.** It compares the numbers with the numbers behind them.",
            "**What it does.** It sorts the list and returns True if that worked.",
        ),
        (
            "**How often.** For the first number there are $n - 1$ comparisons, for the second $n - 2$ and so on down "
            "to 0. The sum is $n(n - 1) / 2$, which is reached if all numbers are different.",
            "**How often.** At most once for every pair, and there are $n(n - 1) / 2$ pairs.",
            "**How often.** Two loops of $n$, so $n^2$ comparisons.",
            "**How often.** At most $n$ comparisons, as it stops when it finds something.",
        ),
        (
            "**Faster.** Sort the list first. Equal numbers then stand next to each other, so one pass over the "
            r"neighbours finds them. Sorting needs about $n \log n$ comparisons and the pass $n - 1$, which together "
            "is far less than $n^2 / 2$ for long lists.",
            "**Faster.** Put every number in a set and look whether it is there already. Each look takes about "
            "constant time, so it is $n$ steps.",
            "**Faster.** Start j at i + 1 and stop earlier, then it is twice as fast.",
            "**Faster.** Use a faster computer or a compiled language.",
        ),
    ),
    comments=(
        (
            "Everything is there, and the sum is explained step by step.",
            "Good. The faster way could say how many steps it takes.",
            "The count is not quite right, but I see how you got there.",
            "What it computes is only described, not said.",
            "The faster way is not faster.",
        ),
        (
            "This would convince me.",
            "Nice and short. I agree with all of it.",
            "The first part is fine, the second needs a reason.",
            "I think you misread the inner loop.",
            "It does not sort anything.",
        ),
        (
            "The sum in the second part is done well.",
            "The first part says exactly what is asked.",
            "Where does the number of comparisons come from?",
            "The last part would need a word on how long sorting takes.",
            "Look at where j begins.",
        ),
    ),
)

STRIKING = {
    0: ("I am sure that this is by Anjali: only Anjali writes like this.",),
    1: ("Good.", "Good.", "OK", "OK", "Bad."),
    2: ("Good.", "Good.", "OK", "OK", "Bad."),
    3: ("Good.", "Good.", "OK", "OK", "This is stupid."),
}
"""Comments on the second exercise that staff should see before students do, by grader; the best paper first."""

BINARY_SEARCH = Exercise(
    title="Exercise 3: Binary search",
    task="""A sorted list of n numbers is searched for a number x by *binary search*: compare x with the number in the
middle, and go on in the half where x must be.

1. Explain why it finds x whenever x is there.
2. How many comparisons does it need at most? Explain why.
3. Show it on a list of seven numbers.

Half a page is enough.
""",
    instructions="""Put first what you would give to a friend who does not understand binary search.

Look for: is the argument right, is it complete, is the number of comparisons right **and explained**, does the
example show what happens? Spelling does not count.
""",
    solution=r"""If x is in the list, it is in the part that is left at every step: numbers that are thrown away are all
smaller than x, or all larger. The part gets smaller every time, so the search ends, and it can only end at x.

Every comparison leaves at most half of the numbers, rounded down. After $t$ comparisons at most $n / 2^t$ are left, so

$$
\lfloor \log_2 n \rfloor + 1
$$

comparisons are always enough. For $n = 7$ that is 3.
""",
    parts=(
        (
            "**Why it works.** At every step, if x is in the list at all, then it is in the part that we still look "
            "at. At the beginning that is the whole list. If x is larger than the middle number, then everything to "
            "the left of the middle is smaller than x as well, because the list is sorted, so throwing it away loses "
            "nothing; the other case is the same. The part gets smaller every time, so we stop, and if x is there we "
            "stop at x.",
            "**Why it works.** The list is sorted. When x is larger than the middle number, x cannot be in the left "
            "half, so we only need the right half. When it is smaller it is the other way round. So we never lose x.",
            "**Why it works.** We always go to the half where x is, so in the end we find it.",
            "**Why it works.** It works because binary search is a well-known algorithm that is used everywhere, for "
            "example in databases, and it has been shown to be correct.",
            "**Why it works.** We look at all numbers one after another until we find x, but faster.",
        ),
        (
            "**How many comparisons.** One comparison leaves at most half of the numbers, rounded down. After $t$ "
            r"comparisons at most $n / 2^t$ are left. As soon as this is below 1 nothing is left, so $\lfloor \log_2 n "
            r"\rfloor + 1$ comparisons are enough. And they can be needed: if x is larger than everything, the right "
            "half is always the one that is left.",
            r"**How many comparisons.** Every comparison halves the list. We can halve $n$ about $\log_2 n$ times "
            r"until one number is left, and that one has to be compared too. So it is $\log_2 n + 1$, rounded down.",
            r"**How many comparisons.** About $\log n$, because we always divide by two.",
            "**How many comparisons.** At most $n / 2$, because we only look at half of the list.",
            "**How many comparisons.** It depends on the list. Sometimes it is found at once and sometimes it takes "
            "long.",
        ),
        (
            "**Example.** 2, 3, 5, 7, 11, 13, 17 and x = 11. The middle is 7, and 11 is larger: left are 11, 13, 17. "
            "The middle is 13, and 11 is smaller: left is 11. Found, with 3 comparisons, as many as the formula says "
            "for $n = 7$. With x = 12 the same steps end with nothing left, so 12 is not there.",
            "**Example.** 1, 4, 6, 8, 9, 12, 20 and x = 9. Compare with 8: go right. Compare with 12: go left. Compare"
            " with 9: found. That was 3 comparisons.",
            "**Example.** 1, 2, 3, 4, 5, 6, 7 and x = 4. The middle is 4, so we have found it at once.",
            "**Example.** In 10, 20, 30, 40, 50, 60, 70 we look for 70: right, right, right, found.",
            "**Example.** 5, 3, 9, 1, 7, 2, 8. We look for 9: the middle is 1, so we go right. It is not found.",
        ),
    ),
    comments=(
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
    ),
)

SORTING_TASK = r"""Explain **merge sort** to somebody who knows binary search.

1. Why does it sort every list?
2. Let $C(n)$ be the number of comparisons that it needs at most. Explain why

   $$
   C(n) \le C\left(\lfloor n/2 \rfloor\right) + C\left(\lceil n/2 \rceil\right) + n - 1
   $$

   and why that is at most $n \lceil \log_2 n \rceil$.
3. Show it on the numbers in the attached file.
"""
NUMBERS = "number\n5\n2\n8\n1\n9\n3\n7\n"
"""What is attached to it."""
