"""Writes wilson.json: Wilson intervals by another road than the Go code.

The interval is the set of p with |count/n - p| <= z*sqrt(p(1-p)/n). Its ends
are found here by bisection in 60-digit decimals; z by bisection on the normal
distribution of Python's statistics module, so only definitions are shared.
Run: python3 wilson.py > wilson.json
"""
import json
from decimal import Decimal, getcontext
from statistics import NormalDist

getcontext().prec = 60


def inside(p, count, n, z):
    d = Decimal(count) / n - p
    return d * d * n <= z * z * p * (1 - p)


def end(good, bad, count, n, z):
    for _ in range(170):
        mid = (good + bad) / 2
        if inside(mid, count, n, z):
            good = mid
        else:
            bad = mid
    return good


def wilson(count, n, confidence):
    z = Decimal(NormalDist().inv_cdf((1 + confidence) / 2))
    share = Decimal(count) / n
    return (float(end(share, Decimal(0), count, n, z)) if count else 0.0,
            float(end(share, Decimal(1), count, n, z)) if count < n else 1.0)


rows = []
for confidence in (0.8, 0.95, 0.99, 0.999):
    for n in (1, 2, 7, 10, 50, 234, 994, 100000):
        for count in sorted({0, 1, n // 3, n // 2, n - 1, n}):
            low, high = wilson(count, n, confidence)
            rows.append([count, n, confidence, low, high])
print("[\n" + ",\n".join(json.dumps(r) for r in rows) + "\n]")
