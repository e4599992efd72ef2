import lance

from engines.lance_api import DATA_STORAGE_VERSION, LanceApi

NAME = "pylance"
PACKAGE = "lance"
FORMAT = f"Lance {DATA_STORAGE_VERSION}"

_api = LanceApi(lance)
write, open, scan, batches, take = _api.write, _api.open, _api.scan, _api.batches, _api.take
