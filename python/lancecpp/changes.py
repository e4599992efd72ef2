"""The methods of LanceDataset that change a table."""

from __future__ import annotations

import os
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Optional, Tuple, Union

from . import _core
from .arrow_stream import raise_source_error, to_stream
from .base_path import DatasetBasePath, base_tuples, check_base_store_params
from .branches import Branches
from .cleanup import (
    CleanupExplanation,
    CleanupReferencedBranch,
    CleanupStats,
    cleanup_policy,
    cleanup_stats,
    explanation,
)
from .delta import DatasetDelta, make_delta
from .errors import (
    CoreError,
    flag,
    names,
    optional_text,
    refuse_later_work,
    seconds,
    string_map,
    text,
    translate,
    unsigned,
)
from .merge_insert import MergeInsertBuilder
from .move import move, move_to
from .optimize import DatasetOptimizer
from .scanner import filter_argument
from .transaction import (
    LanceOperation,
    Transaction,
    decode_transaction,
    encode_transaction,
    has_arrow_schema,
    with_encodings,
)
from .version_reference import uri_text, version_reference
from .udf import new_columns

if TYPE_CHECKING:
    import pyarrow as pa

    from .dataset import LanceDataset

_COMMIT_MESSAGE = "__lance_commit_message"
Values = Dict[str, Optional[str]]


class TableChanges:
    """Each method commits a version; this object moves to it."""

    _core: _core.Dataset
    _default_scan_options: Dict[str, Any]

    @property
    def schema_metadata(self) -> Dict[str, str]:
        """The metadata of the Arrow schema."""
        return {
            key.decode("utf-8", "replace"): value.decode("utf-8", "replace")
            for key, value in (self._core.schema.metadata or {}).items()
        }

    def _change(self, verb: str, method: str, *arguments: Any, **named: Any) -> None:
        try:
            move(self, method, *arguments, **named)
        except CoreError as error:
            raise translate(error, verb) from None

    # Columns.

    def add_columns(
        self,
        transforms: Any,
        read_columns: Optional[List[str]] = None,
        reader_schema: Optional["pa.Schema"] = None,
        batch_size: Optional[int] = None,
    ) -> None:
        """Adds columns.

        Parameters
        ----------
        transforms:
            A pyarrow Field, a list of them or a Schema (columns that are null in every row so far;
            no data is written), a dict of names and the SQL expressions that compute them, a
            function from a batch to a batch (see :func:`batch_udf`), or data with one value for
            each row, in order.
        read_columns, batch_size:
            What a function gets.
        reader_schema:
            Of an iterable of batches.

        >>> import pyarrow as pa
        >>> data = lance.write_dataset({"id": [1, 2]}, "memory://add-columns-example")
        >>> data.add_columns(pa.table({"x": ["a", "b"]}))
        >>> data.add_columns(pa.field("later", pa.float32()))
        >>> data.add_columns({"next": "id + 1"})
        >>> data.to_table().to_pydict()
        {'id': [1, 2], 'x': ['a', 'b'], 'later': [None, None], 'next': [2, 3]}
        """
        import pyarrow as pa

        if isinstance(transforms, pa.Field):
            transforms = [transforms]
        if isinstance(transforms, list) and transforms and isinstance(transforms[0], pa.Field):
            transforms = pa.schema(transforms)
        if isinstance(transforms, pa.Schema):
            self._change("commit", "add_null_columns", transforms)
            return
        stream = new_columns(self, transforms, read_columns, reader_schema, batch_size)
        try:
            move(self, "add_columns", stream)
        except CoreError as error:
            raise_source_error(stream)
            raise translate(error, "commit") from None
        cache = getattr(transforms, "cache", None)
        if cache is not None:
            cache.cleanup()

    def alter_columns(self, *alterations: Dict[str, Any]) -> None:
        """Renames columns, casts them, changes whether they may be null.

        Each alteration is a dict with ``path`` and any of ``name``, ``nullable`` and ``data_type``.
        Only a cast writes data.

        >>> import pyarrow as pa
        >>> data = lance.write_dataset({"id": [1, 2]}, "memory://alter-example")
        >>> data.alter_columns({"path": "id", "name": "key", "data_type": pa.int32()})
        >>> data.schema
        key: int32
        """
        self._change("change", "alter_columns", [_alteration(one) for one in alterations])

    def drop_columns(self, columns: List[str]) -> None:
        """Takes columns out of the schema; their data stays until the files are rewritten."""
        self._change("schema", "drop_columns", names("columns", columns))

    def merge(
        self,
        data_obj: Any,
        left_on: str,
        right_on: Optional[str] = None,
        schema: Optional["pa.Schema"] = None,
    ) -> None:
        """Adds the columns of ``data_obj`` by a left join; rows without a match get nulls.

        >>> data = lance.write_dataset({"id": [1, 2]}, "memory://merge-example")
        >>> data.merge({"id": [2], "x": ["b"]}, "id")
        >>> data.to_table().to_pydict()
        {'id': [1, 2], 'x': [None, 'b']}
        """
        stream = to_stream(data_obj, schema)
        try:
            move(
                self,
                "merge",
                stream,
                text("left_on", left_on),
                text("right_on", right_on or left_on),
            )
        except CoreError as error:
            raise_source_error(stream)
            raise translate(error, "change") from None

    def replace_schema(self, schema: Any) -> None:
        """Replaces the schema by one with the same field ids (a LanceSchema)."""
        operation = LanceOperation.Project(schema)
        self._commit_operation(operation)

    def _commit_operation(self, operation: LanceOperation.BaseOperation) -> None:
        transaction = Transaction(self._core.version, operation)
        try:
            if self._core.has_semantic_types:
                transaction = with_encodings(transaction)
            content = encode_transaction(transaction)
            move_to(
                self,
                _core.Dataset.commit,
                self._core.uri,
                content,
                enable_v2_manifest_paths=True,
                enable_stable_row_ids=False,
                detached=False,
                max_retries=20,
            )
        except CoreError as error:
            raise translate(error, "change") from None

    # Rows.

    def delete(
        self,
        predicate: Any,
        *,
        conflict_retries: int = 10,
        retry_timeout: timedelta = timedelta(seconds=30),
    ) -> Dict[str, int]:
        """Deletes the rows for which a condition, in SQL or a pyarrow expression, is true:
        ``{"num_deleted_rows": n}``.

        When another writer has changed one of these rows meanwhile, they are chosen anew from its
        version, so many times and so long at most.

        >>> data = lance.write_dataset({"id": [1, 2, 3]}, "memory://delete-example")
        >>> data.delete("id >= 2")
        {'num_deleted_rows': 2}
        """
        sql = self._sql_of("predicate", predicate, "change")
        count = self._count("change", "delete", sql, conflict_retries, retry_timeout)
        return {"num_deleted_rows": count}

    def update(
        self,
        updates: Dict[str, str],
        where: Optional[Any] = None,
        conflict_retries: int = 10,
        retry_timeout: timedelta = timedelta(seconds=30),
        data_storage_version: Optional[str] = None,
    ) -> Dict[str, int]:
        """Sets columns to values of SQL expressions over the old row: ``{"num_rows_updated": n}``.

        Values are cast to the types of the columns. ``where``: only in rows for which this condition,
        in SQL or a pyarrow expression, is true. ``data_storage_version``: of the files written.

        >>> data = lance.write_dataset({"id": [1, 2], "x": [10, 20]}, "memory://update-example")
        >>> data.update({"x": "x + id"}, where="id = 2")
        {'num_rows_updated': 1}
        >>> data.to_table().to_pydict()
        {'id': [1, 2], 'x': [10, 22]}
        """
        updates = string_map("updates", updates)
        condition = None if where is None else self._sql_of("where", where, "schema")
        try:
            self._core.check_update(updates)
            self._core.scan_schema(_core.ScanOptions(filter=condition))
        except CoreError as error:
            raise translate(error, "schema") from None
        count = self._count(
            "change",
            "update",
            updates,
            condition,
            optional_text("data_storage_version", data_storage_version),
            conflict_retries,
            retry_timeout,
        )
        return {"num_rows_updated": count}

    def merge_insert(self, on: Union[str, Iterable[str], None] = None) -> MergeInsertBuilder:
        """Updates, inserts and deletes rows by their keys, as the builder that is returned is told.

        ``on``: the columns of the key; default the unenforced primary key of the schema.
        """
        return MergeInsertBuilder(self, on)

    def _sql_of(self, name: str, condition: Any, verb: str) -> str:
        if condition is None:
            raise TypeError(f"argument '{name}': 'None' is not an instance of 'str'")
        given = filter_argument(condition, self, name)
        if given.get("filter") is not None:
            return given["filter"]
        try:
            return self._core.substrait_to_sql(given["substrait_filter"])
        except CoreError as error:
            raise translate(error, verb) from None

    def _count(self, verb: str, method: str, *arguments: Any) -> int:
        *given, retries, timeout = arguments
        try:
            _, count = move(
                self,
                method,
                *given,
                unsigned("conflict_retries", retries),
                seconds("retry_timeout", timeout),
            )
        except CoreError as error:
            raise translate(error, verb) from None
        return count

    def truncate_table(self) -> None:
        """Deletes all rows."""
        self._change("change", "truncate")

    def restore(self) -> None:
        """Makes this version the newest one again, as a new version."""
        self._change("change", "restore")

    # Config and metadata.

    def update_config(self, values: Values, *, replace: bool = False) -> Dict[str, str]:
        """Sets keys of the table config (None deletes one) or replaces it; returns all of it."""
        self._change("change", "change_metadata", config=_entries("values", values, replace))
        return self._core.config()

    def delete_config_keys(self, keys: List[str]) -> None:
        """Takes keys out of the table config."""
        values = {key: None for key in names("keys", keys)}
        self._change("change", "change_metadata", config=(values, False))

    def update_metadata(self, values: Values, *, replace: bool = False) -> Dict[str, str]:
        """The same for the metadata of the table."""
        self._change("change", "change_metadata", table=_entries("values", values, replace))
        return self._core.table_metadata()

    def update_schema_metadata(self, values: Values, *, replace: bool = False) -> Dict[str, str]:
        """The same for the metadata of the Arrow schema."""
        self._change("change", "change_metadata", schema=_entries("values", values, replace))
        return self.schema_metadata

    def replace_schema_metadata(self, new_metadata: Dict[str, str]) -> None:
        """Replaces the metadata of the Arrow schema."""
        self.update_schema_metadata(new_metadata, replace=True)

    def update_field_metadata(
        self, field_updates: Dict[str, Values], *, replace: bool = False
    ) -> None:
        """The same for the metadata of fields, by their paths."""
        fields = {
            text("field_updates", path): _entries("field_updates", values, replace)
            for path, values in field_updates.items()
        }
        self._change("change", "change_metadata", fields=fields)

    def replace_field_metadata(self, field_name: str, new_metadata: Dict[str, str]) -> None:
        """Replaces the metadata of the field at a path."""
        self.update_field_metadata({field_name: new_metadata}, replace=True)

    def upgrade_semantic_types(self) -> None:
        """Gives the table semantic types, in one commit that writes no data.

        Reads return the same types and values as before. From then on a column takes any layout of
        its values, and :meth:`set_output_encoding` chooses how it is returned. Older versions of
        lance refuse the table, and there is no way back. See docs/semantic-types.md.

        >>> data = lance.write_dataset({"name": ["a"]}, "memory://upgrade-example")
        >>> data.upgrade_semantic_types()
        >>> data.insert(pa.table({"name": pa.array(["b"], pa.large_string())}))
        >>> data.to_table().to_pydict()
        {'name': ['a', 'b']}
        """
        self._change("change", "upgrade_semantic_types")

    def set_output_encoding(self, path: str, encoding: Optional[str]) -> None:
        """Sets the layout that reads return a column in, by its path; None for the default.

        >>> data = lance.write_dataset({"name": ["a"]}, "memory://encode", semantic_types=True)
        >>> data.set_output_encoding("name", "utf8_view")
        >>> data.schema
        name: string_view
        """
        self._change("change", "set_output_encoding", path, encoding)

    # Branches and clones.

    @property
    def branches(self) -> Branches:
        """The branches of the table, to list, change and delete."""
        return Branches(self)

    def create_branch(
        self,
        branch: str,
        reference: Any = None,
        storage_options: Optional[Dict[str, str]] = None,
    ) -> "LanceDataset":
        """Starts a branch from a version (default this one) and opens it."""
        refuse_later_work("create_branch", {"storage_options": storage_options or None})
        return self._made("create_branch", text("branch", branch), self._reference(reference))

    def shallow_clone(
        self,
        target_path: Union[str, os.PathLike],
        reference: Any = None,
        storage_options: Optional[Dict[str, str]] = None,
        **kwargs: Any,
    ) -> "LanceDataset":
        """A table elsewhere that starts from a version of this one and uses its files."""
        refuse_later_work("shallow_clone", {"storage_options": storage_options or None, **kwargs})
        return self._made("shallow_clone", uri_text(target_path), self._reference(reference))

    def deep_clone(
        self,
        target_path: Union[str, os.PathLike],
        reference: Any = None,
        storage_options: Optional[Dict[str, str]] = None,
        **kwargs: Any,
    ) -> "LanceDataset":
        """A table elsewhere that starts from a version of this one, with copies of its files."""
        refuse_later_work("deep_clone", {"storage_options": storage_options or None, **kwargs})
        return self._made("deep_clone", uri_text(target_path), self._reference(reference))

    def _reference(self, reference: Any) -> Any:
        """A version; None is this one."""
        if reference is None:
            return (self._core.branch, self._core.version)
        return version_reference(reference)

    def _made(self, method: str, *arguments: Any) -> "LanceDataset":
        from .dataset import LanceDataset

        try:
            return LanceDataset._from_core(getattr(self._core, method)(*arguments))
        except CoreError as error:
            raise translate(error, "refs" if method == "create_branch" else "change") from None

    # Places.

    def base_paths(self) -> Dict[int, DatasetBasePath]:
        """The places beside the table's own folder that its files may lie in, by id."""
        return {
            id: DatasetBasePath(path, name, is_root, id)
            for id, name, is_root, path in self._core.base_paths()
        }

    def add_bases(
        self,
        new_bases: Iterable[DatasetBasePath],
        transaction_properties: Optional[Dict[str, str]] = None,
    ) -> "LanceDataset":
        """Registers places for the files of later writes (see ``target_bases``); returns this.

        >>> data = lance.write_dataset({"id": [1]}, "memory://bases-example")
        >>> data = data.add_bases([lance.DatasetBasePath("memory://more-room", "more")])
        >>> data = lance.write_dataset({"id": [2]}, data, mode="append", target_bases=["more"])
        >>> [file.base_id for fragment in data.get_fragments() for file in fragment.data_files()]
        [None, 1]
        """
        bases = base_tuples("new_bases", new_bases)
        properties = string_map("transaction_properties", transaction_properties or {})
        self._change("schema", "add_bases", bases, properties)
        return self  # type: ignore[return-value]

    # Upkeep.

    def migrate_to_stable_row_ids(self) -> None:
        """Gives all rows ids that survive updates and compaction, in one commit that writes no data.

        There is no way back. Indexes must be dropped first; when another version is committed
        meanwhile, this fails.

        >>> data = lance.write_dataset({"id": [1, 2]}, "memory://migrate-example")
        >>> data.migrate_to_stable_row_ids()
        >>> data.has_stable_row_ids
        True
        """
        self._change("change", "migrate_to_stable_row_ids")

    @property
    def optimize(self) -> DatasetOptimizer:
        """Upkeep: compaction, and cleaning up after commits."""
        return DatasetOptimizer(self)

    def cleanup_old_versions(
        self,
        older_than: Optional[timedelta] = None,
        retain_versions: Optional[int] = None,
        *,
        delete_unverified: bool = False,
        error_if_tagged_old_versions: bool = True,
        delete_rate_limit: Optional[int] = None,
        versions: Optional[List[int]] = None,
        delete_concurrency: Optional[int] = None,
    ) -> CleanupStats:
        """Deletes old versions, and files that no version uses any more.

        Parameters
        ----------
        older_than, retain_versions, versions:
            Versions that meet all conditions given go: committed longer ago, not among the newest
            so many, listed. Default: older than 14 days. This version and newer ones stay.
        delete_unverified:
            Also delete files of no version that are younger than 7 days. Nobody may be writing.
        error_if_tagged_old_versions:
            Fail when a tagged version would go; else it is kept.
        """
        policy = cleanup_policy(
            older_than,
            retain_versions,
            versions,
            delete_unverified,
            error_if_tagged_old_versions,
            delete_rate_limit,
            dry_run=False,
        )
        return cleanup_stats(self._clean_up(policy))

    def explain_cleanup_old_versions(
        self,
        older_than: Optional[timedelta] = None,
        retain_versions: Optional[int] = None,
        *,
        delete_unverified: bool = False,
        error_if_tagged_old_versions: bool = True,
        delete_rate_limit: Optional[int] = None,
        versions: Optional[List[int]] = None,
        include_files: bool = False,
        max_files: int = 1000,
    ) -> CleanupExplanation:
        """What :meth:`cleanup_old_versions` would delete; with ``include_files`` the first
        ``max_files`` of the files."""
        policy = cleanup_policy(
            older_than,
            retain_versions,
            versions,
            delete_unverified,
            error_if_tagged_old_versions,
            delete_rate_limit,
            dry_run=True,
        )
        limit = unsigned("max_files", max_files)
        branches = [
            CleanupReferencedBranch(name, branch["parent_version"])
            for name, branch in self.branches.list().items()
            if branch["parent_branch"] == self._core.branch
        ]
        stats = self._clean_up(policy)
        tracked = None
        if include_files:
            tracked = {f"{base}/{path}" for _, base, path, _ in self._core.tracked_files(0)}
        return explanation(stats, self._core.version, branches, limit, tracked)

    def _clean_up(self, policy: Dict[str, Any]) -> Any:
        try:
            return self._core.clean_up(**policy)
        except CoreError as error:
            raise translate(error, "change") from None

    def migrate_manifest_paths_v2(self) -> None:
        """Renames manifests of the old scheme. Nobody else may use the table meanwhile."""
        try:
            self._core.migrate_manifest_paths_v2()
        except CoreError as error:
            raise translate(error, "change") from None
        self._core = self._checkout((self._core.branch, self.version))

    def validate(self) -> None:
        """Compares every file of this version with what the manifest says; raises if they differ."""
        try:
            self._core.validate()
        except CoreError as error:
            raise translate(error, "scan") from None

    @staticmethod
    def drop(
        base_uri: Union[str, os.PathLike],
        storage_options: Optional[Dict[str, str]] = None,
        ignore_not_found: Optional[bool] = None,
    ) -> None:
        """Deletes a table with all its files."""
        refuse_later_work("drop", {"storage_options": storage_options or None})
        try:
            _core.Dataset.drop(uri_text(base_uri))
        except CoreError as error:
            if ignore_not_found and error.args[0] == "Not found":
                return
            raise translate(error, "drop") from None

    # Transactions.

    @staticmethod
    def commit(
        base_uri: Any,
        operation: Union[LanceOperation.BaseOperation, Transaction],
        read_version: Optional[int] = None,
        commit_lock: Optional[Any] = None,
        storage_options: Optional[Dict[str, str]] = None,
        enable_v2_manifest_paths: Optional[bool] = None,
        detached: Optional[bool] = False,
        max_retries: int = 20,
        *,
        commit_message: Optional[str] = None,
        enable_stable_row_ids: Optional[bool] = None,
        semantic_types: Optional[bool] = None,
        namespace_client: Optional[Any] = None,
        table_id: Optional[List[str]] = None,
        namespace_client_managed_versioning: bool = False,
        base_store_params: Optional[Dict[str, Dict[str, str]]] = None,
        commit_timeout: Any = timedelta(minutes=30),
    ) -> "LanceDataset":
        """Commits an operation whose data was written before (see :func:`write_fragments`).

        Parameters
        ----------
        read_version:
            The version that the operation was made from: others committed since then must agree
            with it. Needed except for Overwrite and Restore.
        semantic_types:
            Whether a new table has semantic types; it must be what its data was written for.
        detached:
            Outside of the history: the version gets a random number with the highest bit set.
        """
        from .dataset import LanceDataset

        refuse_later_work(
            "commit",
            {
                "commit_lock": commit_lock,
                "storage_options": storage_options or None,
                "namespace_client": namespace_client,
                "table_id": table_id,
                "namespace_client_managed_versioning": namespace_client_managed_versioning,
            },
        )
        check_base_store_params(base_store_params)
        transaction = _transaction(base_uri, operation, read_version)
        if commit_message is not None:
            properties = {
                **(transaction.transaction_properties or {}),
                _COMMIT_MESSAGE: text("commit_message", commit_message),
            }
            transaction = Transaction(
                transaction.read_version, transaction.operation, transaction.uuid, properties
            )
        uri = base_uri.uri if isinstance(base_uri, LanceDataset) else uri_text(base_uri)
        try:
            says_layouts = has_arrow_schema(transaction.operation)
            if says_layouts and _has_semantic_types(uri, semantic_types):
                transaction = with_encodings(transaction)
            made = _core.Dataset.commit(
                uri,
                encode_transaction(transaction),
                enable_v2_manifest_paths=enable_v2_manifest_paths is not False,
                enable_stable_row_ids=bool(enable_stable_row_ids),
                detached=bool(detached),
                max_retries=unsigned("max_retries", max_retries),
                semantic_types=semantic_types,
            )
        except CoreError as error:
            raise translate(error, "commit") from None
        return LanceDataset._from_core(made)

    @staticmethod
    def commit_batch(
        dest: Any,
        transactions: List[Transaction],
        commit_lock: Optional[Any] = None,
        storage_options: Optional[Dict[str, str]] = None,
        enable_v2_manifest_paths: Optional[bool] = None,
        detached: Optional[bool] = False,
        max_retries: int = 20,
        base_store_params: Optional[Dict[str, Dict[str, str]]] = None,
        commit_timeout: Any = timedelta(minutes=30),
    ) -> Dict[str, Any]:
        """Commits several Append transactions as one version: ``{"dataset", "merged"}``."""
        if not transactions:
            raise ValueError("commit_batch needs at least one transaction")
        fragments = []
        for transaction in transactions:
            if not isinstance(transaction.operation, LanceOperation.Append):
                raise NotImplementedError("commit_batch supports Append transactions only")
            fragments += transaction.operation.fragments
        merged = Transaction(
            min(transaction.read_version for transaction in transactions),
            LanceOperation.Append(fragments),
        )
        made = TableChanges.commit(
            dest,
            merged,
            commit_lock=commit_lock,
            storage_options=storage_options,
            enable_v2_manifest_paths=enable_v2_manifest_paths,
            detached=detached,
            max_retries=max_retries,
            base_store_params=base_store_params,
        )
        return {"dataset": made, "merged": merged}

    def read_transaction(self, version: int) -> Transaction:
        """What made a version."""
        try:
            content = self._core.read_transaction(unsigned("version", version))
        except CoreError as error:
            raise translate(error, "checkout") from None
        try:
            return decode_transaction(content)
        except UnicodeDecodeError as error:
            raise OSError(
                f"transaction of version {version} of {self.uri} is damaged: text is not UTF-8: {error}"
            ) from None

    def delta(
        self,
        compared_against: Optional[int] = None,
        *,
        begin_version: Optional[int] = None,
        end_version: Optional[int] = None,
    ) -> DatasetDelta:
        """What has changed since a version, or after one up to another.

        >>> data = lance.write_dataset({"id": [1]}, "memory://delta-example", enable_stable_row_ids=True)
        >>> data.insert({"id": [2]})
        >>> data.delta(compared_against=1).get_inserted_rows().read_all()["id"].to_pylist()
        [2]
        """
        return make_delta(self, compared_against, begin_version, end_version)  # type: ignore[arg-type]

    def get_transactions(self, recent_transactions: int = 10) -> List[Optional[Transaction]]:
        """What made the newest versions up to this one, newest first."""
        numbers = [
            version["version"] for version in self.versions() if version["version"] <= self.version
        ]
        newest_first = sorted(numbers, reverse=True)[:recent_transactions]
        return [self.read_transaction(number) for number in newest_first]


def _has_semantic_types(uri: str, of_a_new_table: Optional[bool]) -> bool:
    try:
        return _core.Dataset.open(uri).has_semantic_types
    except CoreError:
        return bool(of_a_new_table)


def _transaction(
    base_uri: Any, operation: Any, read_version: Optional[int]
) -> Transaction:
    if isinstance(operation, Transaction):
        return operation
    if not isinstance(operation, LanceOperation.BaseOperation):
        raise TypeError(
            f"operation must be a LanceOperation or a Transaction, got {type(operation)}"
        )
    needs_none = isinstance(operation, (LanceOperation.Overwrite, LanceOperation.Restore))
    if read_version is None and not needs_none:
        raise ValueError(
            "read_version is required for all operations except Overwrite and Restore"
        )
    version = 0 if read_version is None else unsigned("read_version", read_version)
    return Transaction(version, operation)


def _alteration(given: Dict[str, Any]) -> Tuple[str, Optional[str], Optional[bool], Any]:
    """The engine's argument for one alteration of a column."""
    import pyarrow as pa

    if not isinstance(given, dict):
        raise TypeError(f"an alteration is a dict with 'path', got {type(given).__name__}")
    if "path" not in given:
        raise ValueError("path is required")
    for key in given:
        if key not in ("path", "name", "nullable", "data_type"):
            raise ValueError(f"Unknown key: {key}. Valid keys are name, nullable, and data_type.")
    name, nullable, data_type = (given.get(key) for key in ("name", "nullable", "data_type"))
    if name is None and nullable is None and data_type is None:
        raise ValueError("At least one of name, nullable, or data_type must be specified")
    if data_type is not None and not isinstance(data_type, pa.DataType):
        raise TypeError(
            f"argument 'data_type': expected a pyarrow.DataType, got {type(data_type).__name__} "
            f"{data_type!r}"
        )
    return (
        text("path", given["path"]),
        optional_text("name", name),
        None if nullable is None else flag("nullable", nullable),
        None if data_type is None else pa.schema([pa.field("x", data_type)]),
    )


def _entries(name: str, values: Values, replace: bool) -> Tuple[Values, bool]:
    return (string_map(name, values, nullable=True), flag("replace", replace))
