"""What the two engines with the API of the `lance` package have in common."""

DATA_STORAGE_VERSION = "2.2"


class LanceApi:
    def __init__(self, module):
        self.module = module

    def write(self, table, path):
        self.module.write_dataset(table, path, data_storage_version=DATA_STORAGE_VERSION)

    def open(self, path):
        return self.module.dataset(path)

    def scan(self, handle, columns=None):
        return handle.to_table(columns=columns)

    def batches(self, handle):
        return handle.to_batches()

    def take(self, handle, rows):
        return handle.take(rows)
