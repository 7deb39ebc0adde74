"""Puts the clocks of the standard library more than a year ahead, for memform stack check."""

import datetime
import time

AHEAD = 400 * 86400 + 12345

_time, _time_ns, _localtime, _gmtime, _ctime, _strftime = time.time, time.time_ns, time.localtime, time.gmtime, time.ctime, time.strftime
_datetime, _date = datetime.datetime, datetime.date

time.time = lambda: _time() + AHEAD
time.time_ns = lambda: _time_ns() + AHEAD * 10**9
time.localtime = lambda seconds=None: _localtime(time.time() if seconds is None else seconds)
time.gmtime = lambda seconds=None: _gmtime(time.time() if seconds is None else seconds)
time.ctime = lambda seconds=None: _ctime(time.time() if seconds is None else seconds)
time.strftime = lambda form, at=None: _strftime(form, time.localtime() if at is None else at)


class _Like(type):
    """Instances of the real class count as instances of the shifted one."""

    def __instancecheck__(cls, value):
        return isinstance(value, cls.__mro__[1])


class _ShiftedDatetime(_datetime, metaclass=_Like):
    @classmethod
    def now(cls, tz=None):
        return _datetime.now(tz) + datetime.timedelta(seconds=AHEAD)

    @classmethod
    def utcnow(cls):
        return _datetime.fromtimestamp(time.time(), datetime.timezone.utc).replace(tzinfo=None)

    today = now


class _ShiftedDate(_date, metaclass=_Like):
    @classmethod
    def today(cls):
        return _ShiftedDatetime.now().date()


datetime.datetime, datetime.date = _ShiftedDatetime, _ShiftedDate
