"""Puts the clocks of Python more than a year ahead, for memform stack check.

The classes of datetime stay what they are, so whatever derives from them or asks for them goes on working: only their
methods that read the clock are replaced, in the dictionaries that classes written in C do not let others write to.
"""

import ctypes
import datetime
import gc
import time

AHEAD = 400 * 86400 + 12345

_time, _time_ns, _localtime, _gmtime, _ctime, _strftime = time.time, time.time_ns, time.localtime, time.gmtime, time.ctime, time.strftime
_now = datetime.datetime.now

time.time = lambda: _time() + AHEAD
time.time_ns = lambda: _time_ns() + AHEAD * 10**9
time.localtime = lambda seconds=None: _localtime(time.time() if seconds is None else seconds)
time.gmtime = lambda seconds=None: _gmtime(time.time() if seconds is None else seconds)
time.ctime = lambda seconds=None: _ctime(time.time() if seconds is None else seconds)
time.strftime = lambda form, at=None: _strftime(form, time.localtime() if at is None else at)


def now(cls, tz=None):
    at = _now(tz) + datetime.timedelta(seconds=AHEAD)
    if cls is datetime.datetime:
        return at
    return cls(at.year, at.month, at.day, at.hour, at.minute, at.second, at.microsecond, at.tzinfo, fold=at.fold)


def utcnow(cls):
    return now(cls, datetime.timezone.utc).replace(tzinfo=None)


def today(cls):
    at = _now() + datetime.timedelta(seconds=AHEAD)
    return cls(at.year, at.month, at.day)


def replace(kind, **methods):
    inside = gc.get_referents(kind.__dict__)[0]
    inside.update({name: classmethod(method) for name, method in methods.items()})
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(kind))


replace(datetime.datetime, now=now, utcnow=utcnow, today=now)
replace(datetime.date, today=today)
