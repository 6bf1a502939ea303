"""What the prompt hook needs of slow parts of the standard library, without their imports.

`NamedTuple` without `typing` (2.6 ms) nor a compiled constructor for each class (0.1 ms), `sha256` without
OpenSSL (2.1 ms), `signal` without its enums (1.4 ms), and `pattern`, a regular expression that is compiled
when it is first used (0.1 to 2 ms each): about 12 of the 70 ms that a prompt used to wait.
A type checker sees the library's own.
"""

from __future__ import annotations

__all__ = ["NamedTuple", "pattern", "sha256", "signal"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as signal
    from hashlib import sha256 as sha256
    from re import compile as pattern
    from typing import NamedTuple as NamedTuple
else:
    import re
    from collections import _tuplegetter

    try:
        import _signal as signal
    except ImportError:
        import signal
    try:
        from _sha2 import sha256
    except ImportError:
        try:
            from _sha256 import sha256  # Python 3.11
        except ImportError:
            from hashlib import sha256

    class pattern:
        """As `re.compile`, later; from its first use on it costs nothing more than the real one."""

        def __init__(self, written, flags=0):
            self._written = written, flags

        def __getattr__(self, name):
            made = re.compile(*self._written)
            for key in ("match", "fullmatch", "search", "findall", "finditer", "sub", "split", "pattern"):
                self.__dict__[key] = getattr(made, key)
            return getattr(made, name)

    class _Fields(type):
        """Makes of a class body's annotations the fields of a tuple."""

        def __new__(mcs, name, bases, body):
            if any(getattr(base, "_fields", ()) for base in bases):
                return super().__new__(mcs, name, bases, body)  # a class with the same fields
            fields = tuple(body.get("__annotations__", ()))
            body["_field_defaults"] = {field: body[field] for field in fields if field in body}
            body |= {field: _tuplegetter(at, "") for at, field in enumerate(fields)}
            body |= {"_fields": fields, "__match_args__": fields, "__slots__": ()}
            body["_defaults"] = tuple(body["_field_defaults"].values())  # of the last fields
            return super().__new__(mcs, name, bases, body)

    class NamedTuple(tuple, metaclass=_Fields):
        """As `typing.NamedTuple`, for classes with `from __future__ import annotations`."""

        def __new__(cls, *given, **named):
            fields = cls._fields
            missing = len(fields) - len(given)
            if not named and 0 <= missing <= len(cls._defaults):
                return tuple.__new__(cls, (*given, *cls._defaults[len(cls._defaults) - missing :]))
            values = cls._field_defaults | dict(zip(fields, given, strict=False)) | named
            twice = [field for field in fields[: len(given)] if field in named]
            if len(given) > len(fields) or values.keys() != set(fields) or twice:
                raise TypeError(f"{cls.__name__}({', '.join(fields)}) got {given} and {named}")
            return tuple.__new__(cls, [values[field] for field in fields])

        _make = classmethod(tuple.__new__)

        def _replace(self, **named):
            return type(self)(**(self._asdict() | named))

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self):
            return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self._asdict().items())})"

        def __getnewargs__(self):
            return tuple(self)
