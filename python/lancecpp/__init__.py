"""lancecpp: tables in the Lance format, by a native C++ engine.

The names and defaults are those of the reference package, so that scripts run under
``import lancecpp as lance``.

>>> import lancecpp as lance
>>> data = lance.write_dataset({"id": [1, 2, 3]}, "memory://package-example")
>>> data.take([2, 0]).to_pydict()
{'id': [3, 1]}
"""

from __future__ import annotations


def _load_engine() -> None:
    """Loads _core. It brings pyarrow's Arrow libraries with it, but does not import pyarrow."""
    try:
        from . import _core
    except ImportError as error:
        # Arrow's libraries are not where a plain install has them (beside this package), or
        # another pyarrow is installed. Those that pyarrow itself loads do as well.
        try:
            import pyarrow
        except ImportError:
            raise ImportError(
                "lancecpp needs pyarrow 26.0.*: pip install 'pyarrow==26.0.*'"
            ) from error
        if pyarrow.__version__.split(".")[:2] != ["26", "0"]:
            raise ImportError(
                f"lancecpp needs pyarrow 26.0.*, found {pyarrow.__version__}: "
                "pip install 'pyarrow==26.0.*'"
            ) from error
        from . import _core
    from .guard import guard

    guard(_core)


_load_engine()

from ._core import __version__  # noqa: E402
from . import commit, fragment, optimize  # noqa: E402
from .base_path import DatasetBasePath  # noqa: E402
from .bitmap import Bitmap  # noqa: E402
from .blob import Blob, BlobFile, blob_array, blob_field  # noqa: E402
from .cleanup import (  # noqa: E402
    CleanupCandidateFile,
    CleanupExplanation,
    CleanupReferencedBranch,
    CleanupStats,
)
from .dataset import (  # noqa: E402
    IOStats,
    LanceDataset,
    ColumnOrdering,
    LanceScanner,
    dataset,
    write_dataset,
)
from .fragment import (  # noqa: E402
    DataFile,
    DeletionFile,
    FragmentMetadata,
    LanceFragment,
    write_fragments,
)
from .merge_insert import MergeInsertBuilder  # noqa: E402
from .scan_statistics import ScanStatistics  # noqa: E402
from .schema import LanceSchema  # noqa: E402
from .transaction import LanceOperation, Transaction  # noqa: E402
from .udf import BatchUDF, batch_udf  # noqa: E402

__all__ = [
    "BatchUDF",
    "Bitmap",
    "Blob",
    "BlobArray",
    "BlobFile",
    "BlobType",
    "CleanupCandidateFile",
    "CleanupExplanation",
    "CleanupReferencedBranch",
    "CleanupStats",
    "ColumnOrdering",
    "DataFile",
    "DatasetBasePath",
    "DeletionFile",
    "FragmentMetadata",
    "IOStats",
    "LanceDataset",
    "LanceFragment",
    "LanceOperation",
    "LanceScanner",
    "LanceSchema",
    "MergeInsertBuilder",
    "ScanStatistics",
    "Transaction",
    "__version__",
    "batch_udf",
    "blob_array",
    "blob_field",
    "commit",
    "dataset",
    "fragment",
    "optimize",
    "write_dataset",
    "write_fragments",
]


_MODULES_ON_FIRST_USE = (
    "bitmap",
    "blob",
    "file",
    "fragment",
    "indices",
    "optimize",
    "progress",
    "schema",
    "udf",
)


def __getattr__(name):
    # They need pyarrow, which is loaded when first used.
    if name in ("BlobArray", "BlobType"):
        from . import blob_type

        return getattr(blob_type, name)
    if name in _MODULES_ON_FIRST_USE:
        import importlib

        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
