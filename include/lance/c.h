/*
 * The C ABI of Lance tables, for C and for every language that can call C.
 *
 * Data crosses it through the Arrow C data and stream interfaces, without copies:
 * https://arrow.apache.org/docs/format/CDataInterface.html
 *
 * Rules that hold for every function here:
 *
 * - Failure. Functions that can fail return LANCE_OK (0) or the code of the error. With a non-NULL
 *   `error`, `*error` then points at a description that the caller gives to lance_error_free();
 *   on success it is set to NULL. With a NULL `error` the description is dropped.
 * - Outputs are written on success only. Pointers to outputs must not be NULL.
 * - Odd arguments (NULL where a value is needed, negative numbers, unknown enum values) are refused
 *   with LANCE_ERROR_INVALID_ARGUMENT; nothing is clamped or guessed.
 * - Strings are NUL-terminated UTF-8 and are borrowed for the call only.
 * - Threads. A LanceDataset is an immutable view of one version of a table: any number of threads
 *   may use it at once. Closing it must be the last call. Streams, arrays and errors belong to one
 *   thread at a time.
 * - Nothing aborts or throws across this border.
 *
 * Example: print how many rows a table has.
 *
 *     LanceDataset* dataset = NULL;
 *     LanceError* error = NULL;
 *     int64_t rows = 0;
 *     if (lance_dataset_open("/data/flights.lance", 0, &dataset, &error) != LANCE_OK ||
 *         lance_dataset_count_rows(dataset, &rows, &error) != LANCE_OK) {
 *       fprintf(stderr, "%s\n", error->message);
 *       lance_error_free(error);
 *     } else {
 *       printf("%lld rows\n", (long long)rows);
 *     }
 *     lance_dataset_close(dataset);
 */
#ifndef LANCE_C_H
#define LANCE_C_H

#include <stddef.h>
#include <stdint.h>

#include "lance/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The structures of the Arrow C interfaces, as their specification declares them. */

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};

#endif /* ARROW_C_DATA_INTERFACE */

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};

#endif /* ARROW_C_STREAM_INTERFACE */

/* ---- Errors ---------------------------------------------------------------------------------- */

/** What went wrong. Codes may be added: treat one you don't know like LANCE_ERROR_INTERNAL. */
typedef int32_t LanceErrorCode;
enum {
  LANCE_OK = 0,
  LANCE_ERROR_CORRUPT = 1,               /**< stored bytes break the format */
  LANCE_ERROR_UNSUPPORTED = 2,           /**< valid, but not read or written by this build */
  LANCE_ERROR_NOT_FOUND = 3,             /**< table, version, tag, file or column */
  LANCE_ERROR_ALREADY_EXISTS = 4,        /**< create over an existing table */
  LANCE_ERROR_RETRYABLE_CONFLICT = 5,    /**< another writer won; redo from the new version */
  LANCE_ERROR_INCOMPATIBLE_CONFLICT = 6, /**< another writer made the operation impossible */
  LANCE_ERROR_COMMIT_UNKNOWN = 7,        /**< the store didn't say whether the commit happened */
  LANCE_ERROR_OVER_BUDGET = 8,           /**< out of memory, or over a memory budget */
  LANCE_ERROR_CANCELLED = 9,
  LANCE_ERROR_INVALID_ARGUMENT = 10,
  LANCE_ERROR_IO = 11,      /**< the store failed */
  LANCE_ERROR_INTERNAL = 12 /**< a fault of this library; please report it */
};

/**
 * The description of an error. Made by the library, read by the caller, freed as a whole with
 * lance_error_free(). Later versions may add members at the end.
 */
typedef struct LanceError {
  LanceErrorCode code;
  const char* message; /**< one line, places included; never NULL */
  const char* path;    /**< file or table; NULL when unknown, as the next ones */
  const char* field;   /**< path of a field, like `a.b` */
  int64_t version;     /**< of the table; -1 when unknown, as the next ones */
  int64_t column;      /**< of a data file */
  int64_t page;        /**< of the column */
  int64_t offset;      /**< bytes into the file */
  int64_t row;
} LanceError;

/** Frees an error with its strings. NULL is allowed. */
LANCE_EXPORT void lance_error_free(LanceError* error);

/** The version of this library, like `0.1.0`. Static: not to be freed. */
LANCE_EXPORT const char* lance_library_version(void);

/* ---- Opening --------------------------------------------------------------------------------- */

/** One version of a table. */
typedef struct LanceDataset LanceDataset;

/**
 * Opens a table: a local path, or a `file://` or `memory://` URI.
 *
 * @param version the number of a version, or 0 for the newest
 * @param out the table; the caller gives it to lance_dataset_close()
 * @return LANCE_ERROR_NOT_FOUND if there is no such table or version
 */
LANCE_EXPORT LanceErrorCode lance_dataset_open(const char* uri, int64_t version, LanceDataset** out,
                                               LanceError** error);

/** As lance_dataset_open(), the version being that of a tag. */
LANCE_EXPORT LanceErrorCode lance_dataset_open_tag(const char* uri, const char* tag,
                                                   LanceDataset** out, LanceError** error);

/**
 * Closes a table. NULL is allowed. Streams, arrays and schemas made from it stay valid: they own
 * what they need.
 */
LANCE_EXPORT void lance_dataset_close(LanceDataset* dataset);

/* ---- Facts ----------------------------------------------------------------------------------- */

/** The number of the version that is open. */
LANCE_EXPORT LanceErrorCode lance_dataset_version(const LanceDataset* dataset, int64_t* out,
                                                  LanceError** error);

/** The number of the newest version of the table at this moment. Reads from the store. */
LANCE_EXPORT LanceErrorCode lance_dataset_latest_version(const LanceDataset* dataset, int64_t* out,
                                                         LanceError** error);

/** Rows of the open version, without deleted ones. */
LANCE_EXPORT LanceErrorCode lance_dataset_count_rows(const LanceDataset* dataset, int64_t* out,
                                                     LanceError** error);

/**
 * The schema of the table, as a struct type.
 *
 * @param out an uninitialised structure; the caller calls its `release`
 */
LANCE_EXPORT LanceErrorCode lance_dataset_schema(const LanceDataset* dataset,
                                                 struct ArrowSchema* out, LanceError** error);

/* ---- Reading --------------------------------------------------------------------------------- */

/**
 * What to scan. Begin with LANCE_SCAN_OPTIONS_INIT (all rows and columns) and change members.
 * Members added later stand at the end, and zero means the old behaviour.
 */
typedef struct LanceScanOptions {
  size_t struct_size;         /**< sizeof(LanceScanOptions) of the caller */
  const char* const* columns; /**< names or paths (`a.b`); NULL: all columns */
  int64_t num_columns;        /**< 0 with non-NULL `columns`: batches of rows without columns */
  int64_t limit;              /**< rows at most; -1: no limit */
  int64_t offset;             /**< rows to skip */
  int64_t batch_size;         /**< rows per batch at most; 0: the default (8192) */
  int32_t with_row_id;        /**< 1: append the column `_rowid` (uint64); else 0 */
  int32_t with_row_address;   /**< 1: append the column `_rowaddr` (uint64); else 0 */
  const char* filter;         /**< SQL: rows for which it is true; `limit` and `offset` count those.
                                   NULL: all rows */
} LanceScanOptions;

#define LANCE_SCAN_OPTIONS_INIT \
  { sizeof(LanceScanOptions), NULL, 0, -1, 0, 0, 0, 0, NULL }

/**
 * Starts to read rows, in order, as a stream of struct arrays.
 *
 * Errors met while reading are those of the stream: `get_next` returns an errno value and
 * `get_last_error` its text.
 *
 * @param options NULL: all rows and columns
 * @param out an uninitialised structure; the caller calls its `release`. It may outlive `dataset`.
 */
LANCE_EXPORT LanceErrorCode lance_dataset_scan(const LanceDataset* dataset,
                                               const LanceScanOptions* options,
                                               struct ArrowArrayStream* out, LanceError** error);

/**
 * Reads rows by position, in the given order; a position may be given more than once.
 *
 * @param indices positions among the rows of this version, from 0; may be NULL if `num_indices` is
 *   0. One beyond the last row is LANCE_ERROR_INVALID_ARGUMENT.
 * @param columns names or paths (`a.b`); NULL: all columns (with `num_columns` 0)
 * @param out_array an uninitialised structure: a struct array; the caller calls its `release`
 * @param out_schema an uninitialised structure: its type; the caller calls its `release`
 */
LANCE_EXPORT LanceErrorCode lance_dataset_take(const LanceDataset* dataset, const int64_t* indices,
                                               int64_t num_indices, const char* const* columns,
                                               int64_t num_columns, struct ArrowArray* out_array,
                                               struct ArrowSchema* out_schema, LanceError** error);

/* ---- Writing --------------------------------------------------------------------------------- */

typedef int32_t LanceWriteMode;
enum {
  LANCE_WRITE_CREATE = 0,   /**< fail if there is a table */
  LANCE_WRITE_APPEND = 1,   /**< add rows; creates the table if there is none */
  LANCE_WRITE_OVERWRITE = 2 /**< new contents and schema as the next version */
};

/**
 * How to write. Begin with LANCE_WRITE_OPTIONS_INIT (create, defaults) and change members.
 * Members added later stand at the end, and zero means the old behaviour.
 */
typedef struct LanceWriteOptions {
  size_t struct_size; /**< sizeof(LanceWriteOptions) of the caller */
  LanceWriteMode mode;
  int32_t enable_stable_row_ids;    /**< 1: rows of a new table get ids that survive updates */
  int64_t max_rows_per_file;        /**< 0: the default (1048576) */
  int64_t max_bytes_per_file;       /**< 0: the default (90 GiB) */
  const char* data_storage_version; /**< `2.1`, `2.2`, …; NULL: the table's, or the default */
} LanceWriteOptions;

#define LANCE_WRITE_OPTIONS_INIT \
  { sizeof(LanceWriteOptions), LANCE_WRITE_CREATE, 0, 0, 0, NULL }

/**
 * Writes all that a stream gives and commits it as one version. On failure the table is as it was.
 * The stream is read batch by batch: memory stays bounded whatever its length.
 *
 * @param stream struct arrays. Its `release` is called before this returns, whether it fails or
 *   not, unless `stream` itself is refused (NULL or already released).
 * @param options NULL: create with defaults
 * @param out the new version, to be closed by the caller; NULL: not wanted
 * @return LANCE_ERROR_ALREADY_EXISTS if the mode is LANCE_WRITE_CREATE and there is a table
 */
LANCE_EXPORT LanceErrorCode lance_dataset_write(const char* uri, struct ArrowArrayStream* stream,
                                                const LanceWriteOptions* options,
                                                LanceDataset** out, LanceError** error);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* LANCE_C_H */
