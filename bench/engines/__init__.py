"""One adapter a storage engine, all with the same functions.

NAME, PACKAGE (what the import time and the installed size are those of), FORMAT (of the files);
write(table, path); open(path) -> handle; scan(handle, columns) -> pyarrow.Table;
batches(handle) -> iterator of batches; take(handle, rows) -> pyarrow.Table in the given order.
"""
