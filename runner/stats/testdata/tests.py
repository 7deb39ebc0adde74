"""Writes tests.json: values of the tests and intervals by other hands than ours.

McNemar by scipy.stats.binomtest and binom, the exact p-value by statsmodels
too; sign-flips by scipy.stats.permutation_test where all sign vectors can be
counted, else by the exact distribution of the sum in Python integers; Holm by
statsmodels; the cluster bootstrap by scipy.stats.bootstrap, 400 times with
10,000 resamples each: the mean of its ends, and their standard deviation, which
is the Monte-Carlo standard error of one such bootstrap.
Run: python3 -m venv v && v/bin/pip install scipy==1.17.1 statsmodels==0.15.0 &&
v/bin/python tests.py > tests.json
"""
import json
from fractions import Fraction

import numpy as np
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

rng = np.random.default_rng(20260101)


def discordant(b, c):
    n, k = b + c, min(b, c)
    exact = stats.binomtest(k, n).pvalue if n else 1.0
    other = mcnemar([[0, b], [c, 0]], exact=True).pvalue if n else 1.0
    assert abs(exact - min(1, other)) <= 1e-12 * exact, (b, c)
    below, at = stats.binom.cdf(k - 1, n, 0.5), stats.binom.pmf(k, n, 0.5)
    return {"b": b, "c": c, "exact": exact, "mid": min(1.0, 2 * (below + at / 2))}


def flips_counted(d):
    d = np.array(d, dtype=float)
    test = stats.permutation_test((d,), np.sum, permutation_type="samples", n_resamples=np.inf,
                                  alternative="two-sided", batch=1 << 14)
    return {"d": [int(v) for v in d], "p": float(test.pvalue)}


def flips_distribution(d):
    ways = {0: 1}
    for v in d:
        after = {}
        for at, n in ways.items():
            for to in (at + v, at - v):
                after[to] = after.get(to, 0) + n
        ways = after
    seen = abs(sum(d))
    return {"d": d, "p": float(Fraction(sum(n for at, n in ways.items() if abs(at) >= seen), 2 ** len(d)))}


def holm(p):
    return {"p": p, "adjusted": [float(v) for v in multipletests(p, method="holm")[1]]}


def bootstrap(num, den):
    num, den = np.array(num, dtype=float), np.array(den, dtype=float)

    def share(n, d, axis):
        return n.sum(axis=axis) / d.sum(axis=axis)

    ends = []
    for _ in range(400):
        got = stats.bootstrap((num, den), share, paired=True, vectorized=True, method="percentile",
                              n_resamples=10000, batch=2500, rng=rng).confidence_interval
        ends.append((got.low, got.high))
    ends = np.array(ends)
    return {"num": [int(v) for v in num], "den": [int(v) for v in den],
            "mean": ends.mean(axis=0).tolist(), "error": ends.std(axis=0, ddof=1).tolist()}


def drawn(n, low, high):
    return [int(v) for v in rng.integers(low, high, n)]


def shares(families, most, p):
    den = drawn(families, 1, most + 1)
    chance = rng.beta(6 * p, 6 * (1 - p), families)
    return [int(rng.binomial(d, c)) for d, c in zip(den, chance)], den


def differences(families, most):
    den = drawn(families, 0, most + 1)
    return [int(rng.integers(-d, d + 1)) for d in den], den


out = {
    "mcnemar": [discordant(b, c) for b, c in (
        (0, 0), (1, 0), (0, 1), (5, 0), (0, 6), (1, 1), (3, 3), (2, 9), (9, 2), (10, 4), (15, 30), (40, 41),
        (7, 60), (0, 100), (120, 80), (400, 480), (994, 900), (5, 1200), (2600, 2400))],
    "counted": [flips_counted(d) for d in (
        [1, 1], [1, -1], [2, 1, 1], [1, 1, 1, 1, 1, 1], [1, -1, 1, 1, 2, -3, 4], drawn(10, 1, 4), drawn(12, -3, 6),
        drawn(16, -5, 9), [-1] * 5 + [1] * 12, drawn(18, -1000000, 1700000), [2, 1] * 8 + [-1, -3, 1, 1], drawn(19, 1, 3) + [-20])],
    "sampled": [flips_distribution(d) for d in (
        [1] * 14 + [-1] * 7, [1] * 30 + [-1] * 24, [2, -1] * 15 + [1] * 3, [3, 1, -2] * 30, [1] * 120 + [-1] * 95, [v for v in drawn(200, -4, 6) if v])],
    "holm": [holm(p) for p in (
        [0.03], [0.01, 0.04, 0.03, 0.005], [0.5, 0.9, 0.4], [0.02, 0.02, 0.02], [0.0, 1.0, 0.2, 0.001],
        [float(v) for v in rng.uniform(0, 0.2, 40)])],
    "bootstrap": [bootstrap(*r) for r in (
        shares(10, 3, 0.5), shares(24, 1, 0.4), shares(60, 4, 0.2), shares(234, 1, 0.6), shares(144, 3, 0.9),
        shares(40, 9, 0.5), differences(80, 3), differences(200, 2))],
}
print(json.dumps(out, indent=1))
