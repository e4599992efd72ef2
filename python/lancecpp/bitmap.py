"""A set of small integers, such as fragment ids."""

from __future__ import annotations

from typing import Iterator


class Bitmap(set):
    """A set of integers that iterates in ascending order.

    >>> Bitmap([3, 1])
    Bitmap({1, 3})
    """

    def __iter__(self) -> Iterator[int]:
        return iter(sorted(super().__iter__()))

    def __repr__(self) -> str:
        return f"Bitmap({{{', '.join(map(str, self))}}})"
