/*
 * A program in C that uses nothing but lance/c.h and the C library. It makes its data by hand,
 * writes a table, reads it back in every way and checks how wrong calls are refused.
 *
 *     consumer FOLDER      FOLDER may hold tables of an earlier run
 */
#include <lance/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

#define CHECK(condition)                                              \
  do {                                                                \
    if (!(condition)) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      ++failures;                                                     \
    }                                                                 \
  } while (0)

/* The call must succeed. */
#define CHECK_OK(call)                                                            \
  do {                                                                            \
    LanceError* error = NULL;                                                     \
    LanceErrorCode code = (call);                                                 \
    if (code != LANCE_OK || error != NULL) {                                      \
      fprintf(stderr, "%s:%d: %s: %d %s\n", __FILE__, __LINE__, #call, (int)code, \
              error == NULL ? "(no description)" : error->message);               \
      lance_error_free(error);                                                    \
      exit(1);                                                                    \
    }                                                                             \
  } while (0)

/* The call must fail with the code, and its message must hold the words. */
#define CHECK_FAILS(call, expected_code, words)                                                \
  do {                                                                                         \
    LanceError* error = NULL;                                                                  \
    LanceErrorCode code = (call);                                                              \
    if (code != (expected_code) || error == NULL || error->code != code ||                     \
        strstr(error->message, (words)) == NULL || strchr(error->message, '\n') != NULL) {     \
      fprintf(stderr, "%s:%d: %s: code %d, message %s; expected code %d, message with %s\n",   \
              __FILE__, __LINE__, #call, (int)code, error == NULL ? "(none)" : error->message, \
              (int)(expected_code), (words));                                                  \
      ++failures;                                                                              \
    }                                                                                          \
    lance_error_free(error);                                                                   \
  } while (0)

/* ---- A source of data: `id` int64 and `name` utf8, 3 batches of 100 rows ---- */

enum { kBatches = 3, kBatchRows = 100, kRows = kBatches * kBatchRows };
static int released_streams = 0;

static int IsNull(int64_t id) { return id % 7 == 3; }
static void NameOf(int64_t id, char* out, size_t size) {
  snprintf(out, size, "name %lld", (long long)id);
}

static void ReleaseSchema(struct ArrowSchema* schema) {
  for (int64_t i = 0; i < schema->n_children; ++i) {
    if (schema->children[i]->release != NULL) schema->children[i]->release(schema->children[i]);
    free(schema->children[i]);
  }
  free(schema->children);
  schema->release = NULL;
}

static void FillSchema(struct ArrowSchema* schema, const char* format, const char* name,
                       int64_t children) {
  memset(schema, 0, sizeof(*schema));
  schema->format = format;
  schema->name = name;
  schema->flags = children == 0 ? ARROW_FLAG_NULLABLE : 0;
  schema->n_children = children;
  schema->release = ReleaseSchema;
  if (children > 0) schema->children = malloc((size_t)children * sizeof(*schema->children));
  for (int64_t i = 0; i < children; ++i) schema->children[i] = malloc(sizeof(struct ArrowSchema));
}

static void ReleaseArray(struct ArrowArray* array) {
  for (int64_t i = 0; i < array->n_buffers; ++i) free((void*)array->buffers[i]);
  free((void*)array->buffers);
  for (int64_t i = 0; i < array->n_children; ++i) {
    if (array->children[i]->release != NULL) array->children[i]->release(array->children[i]);
    free(array->children[i]);
  }
  free(array->children);
  array->release = NULL;
}

static void FillArray(struct ArrowArray* array, int64_t buffers, int64_t children) {
  memset(array, 0, sizeof(*array));
  array->length = kBatchRows;
  array->n_buffers = buffers;
  array->n_children = children;
  array->buffers = calloc((size_t)buffers, sizeof(*array->buffers));
  array->release = ReleaseArray;
  if (children > 0) array->children = malloc((size_t)children * sizeof(*array->children));
  for (int64_t i = 0; i < children; ++i) array->children[i] = malloc(sizeof(struct ArrowArray));
}

static void FillIds(struct ArrowArray* array, int64_t first) {
  FillArray(array, 2, 0);
  int64_t* values = malloc(kBatchRows * sizeof(int64_t));
  for (int64_t i = 0; i < kBatchRows; ++i) values[i] = first + i;
  array->buffers[1] = values;
}

static void FillNames(struct ArrowArray* array, int64_t first) {
  FillArray(array, 3, 0);
  unsigned char* validity = calloc((kBatchRows + 7) / 8, 1);
  int32_t* offsets = malloc((kBatchRows + 1) * sizeof(int32_t));
  char* text = malloc(kBatchRows * 32);
  offsets[0] = 0;
  for (int64_t i = 0; i < kBatchRows; ++i) {
    offsets[i + 1] = offsets[i];
    if (IsNull(first + i)) {
      ++array->null_count;
      continue;
    }
    validity[i / 8] |= (unsigned char)(1 << (i % 8));
    NameOf(first + i, text + offsets[i], 32);
    offsets[i + 1] += (int32_t)strlen(text + offsets[i]);
  }
  array->buffers[0] = validity;
  array->buffers[1] = offsets;
  array->buffers[2] = text;
}

typedef struct Source {
  int64_t first_id;
  int next_batch;
  int fail_at; /* the batch that fails, or -1 */
} Source;

static int GetSchema(struct ArrowArrayStream* stream, struct ArrowSchema* out) {
  (void)stream;
  FillSchema(out, "+s", "", 2);
  FillSchema(out->children[0], "l", "id", 0);
  FillSchema(out->children[1], "u", "name", 0);
  return 0;
}

static int GetNext(struct ArrowArrayStream* stream, struct ArrowArray* out) {
  Source* source = stream->private_data;
  if (source->next_batch == source->fail_at) return 5; /* EIO */
  if (source->next_batch == kBatches) {
    memset(out, 0, sizeof(*out));
    return 0;
  }
  int64_t first = source->first_id + (int64_t)source->next_batch * kBatchRows;
  FillArray(out, 1, 2);
  FillIds(out->children[0], first);
  FillNames(out->children[1], first);
  ++source->next_batch;
  return 0;
}

static const char* GetLastError(struct ArrowArrayStream* stream) {
  (void)stream;
  return "the source broke";
}

static void ReleaseStream(struct ArrowArrayStream* stream) {
  free(stream->private_data);
  stream->release = NULL;
  ++released_streams;
}

static struct ArrowArrayStream MakeStream(int64_t first_id, int fail_at) {
  Source* source = malloc(sizeof(Source));
  source->first_id = first_id;
  source->next_batch = 0;
  source->fail_at = fail_at;
  struct ArrowArrayStream stream = {GetSchema, GetNext, GetLastError, ReleaseStream, source};
  return stream;
}

/* ---- Checks of what comes back ---- */

static int IsValid(const struct ArrowArray* array, int64_t row) {
  const unsigned char* validity = array->buffers[0];
  int64_t at = array->offset + row;
  return validity == NULL || (validity[at / 8] >> (at % 8) & 1);
}

static int64_t IdAt(const struct ArrowArray* ids, int64_t row) {
  return ((const int64_t*)ids->buffers[1])[ids->offset + row];
}

static void CheckName(const struct ArrowArray* names, int64_t row, int64_t id) {
  CHECK(IsValid(names, row) == !IsNull(id));
  if (IsNull(id)) return;
  const int32_t* offsets = (const int32_t*)names->buffers[1] + names->offset;
  char expected[32];
  NameOf(id, expected, sizeof(expected));
  size_t size = (size_t)(offsets[row + 1] - offsets[row]);
  CHECK(size == strlen(expected) &&
        memcmp((const char*)names->buffers[2] + offsets[row], expected, size) == 0);
}

/* Reads a stream to its end; rows must be `id` (and `name`, if there are two columns). */
static int64_t CheckStream(struct ArrowArrayStream* stream, int64_t first_id, int64_t columns,
                           int64_t max_batch_rows) {
  int64_t rows = 0;
  struct ArrowArray batch;
  while (stream->get_next(stream, &batch) == 0 && batch.release != NULL) {
    CHECK(batch.n_children == columns);
    CHECK(batch.length <= max_batch_rows);
    for (int64_t i = 0; i < batch.length; ++i) {
      CHECK(IdAt(batch.children[0], i) == first_id + rows + i);
      if (columns > 1) CheckName(batch.children[1], i, first_id + rows + i);
    }
    rows += batch.length;
    batch.release(&batch);
  }
  CHECK(stream->get_last_error(stream) == NULL);
  stream->release(stream);
  return rows;
}

static int64_t CountRows(const LanceDataset* dataset) {
  int64_t rows = -1;
  CHECK_OK(lance_dataset_count_rows(dataset, &rows, &error));
  return rows;
}

static int64_t Version(const LanceDataset* dataset) {
  int64_t version = -1;
  CHECK_OK(lance_dataset_version(dataset, &version, &error));
  return version;
}

/* ---- The tests ---- */

static LanceDataset* TestWrite(const char* uri) {
  struct ArrowArrayStream stream = MakeStream(0, -1);
  LanceWriteOptions options = LANCE_WRITE_OPTIONS_INIT;
  options.mode = LANCE_WRITE_OVERWRITE;
  options.max_rows_per_file = 120;
  LanceDataset* dataset = NULL;
  CHECK_OK(lance_dataset_write(uri, &stream, &options, &dataset, &error));
  CHECK(released_streams == 1 && stream.release == NULL);
  CHECK(CountRows(dataset) == kRows);
  return dataset;
}

static void TestSchema(const LanceDataset* dataset) {
  struct ArrowSchema schema;
  CHECK_OK(lance_dataset_schema(dataset, &schema, &error));
  CHECK(strcmp(schema.format, "+s") == 0 && schema.n_children == 2);
  CHECK(strcmp(schema.children[0]->name, "id") == 0);
  CHECK(strcmp(schema.children[0]->format, "l") == 0);
  CHECK(strcmp(schema.children[1]->name, "name") == 0);
  CHECK(strcmp(schema.children[1]->format, "u") == 0);
  CHECK(schema.children[1]->flags & ARROW_FLAG_NULLABLE);
  schema.release(&schema);
}

static void TestScan(const LanceDataset* dataset) {
  struct ArrowArrayStream stream;
  CHECK_OK(lance_dataset_scan(dataset, NULL, &stream, &error));
  CHECK(CheckStream(&stream, 0, 2, kRows) == kRows);

  const char* columns[] = {"id"};
  LanceScanOptions options = LANCE_SCAN_OPTIONS_INIT;
  options.columns = columns;
  options.num_columns = 1;
  options.offset = 50;
  options.limit = 101;
  options.batch_size = 17;
  CHECK_OK(lance_dataset_scan(dataset, &options, &stream, &error));
  CHECK(CheckStream(&stream, 50, 1, 17) == 101);

  LanceScanOptions with_ids = LANCE_SCAN_OPTIONS_INIT;
  with_ids.with_row_id = 1;
  struct ArrowSchema schema;
  CHECK_OK(lance_dataset_scan(dataset, &with_ids, &stream, &error));
  CHECK(stream.get_schema(&stream, &schema) == 0);
  CHECK(schema.n_children == 3 && strcmp(schema.children[2]->name, "_rowid") == 0);
  schema.release(&schema);
  stream.release(&stream);

  LanceScanOptions filtered = LANCE_SCAN_OPTIONS_INIT;
  filtered.filter = "id >= 120 AND id < 300";
  filtered.limit = 7;
  CHECK_OK(lance_dataset_scan(dataset, &filtered, &stream, &error));
  CHECK(CheckStream(&stream, 120, 2, 7) == 7);

  LanceScanOptions no_rows = LANCE_SCAN_OPTIONS_INIT;
  no_rows.limit = 0;
  CHECK_OK(lance_dataset_scan(dataset, &no_rows, &stream, &error));
  CHECK(CheckStream(&stream, 0, 2, 0) == 0);
}

static void TestTake(const LanceDataset* dataset) {
  const int64_t indices[] = {299, 0, 3, 121, 3};
  const int64_t count = sizeof(indices) / sizeof(indices[0]);
  struct ArrowArray batch;
  struct ArrowSchema schema;
  CHECK_OK(lance_dataset_take(dataset, indices, count, NULL, 0, &batch, &schema, &error));
  CHECK(batch.length == count && batch.n_children == 2 && schema.n_children == 2);
  for (int64_t i = 0; i < count; ++i) {
    CHECK(IdAt(batch.children[0], i) == indices[i]);
    CheckName(batch.children[1], i, indices[i]);
  }
  batch.release(&batch);
  schema.release(&schema);

  const char* columns[] = {"name"};
  CHECK_OK(lance_dataset_take(dataset, indices, 1, columns, 1, &batch, &schema, &error));
  CHECK(batch.length == 1 && batch.n_children == 1);
  CHECK(strcmp(schema.children[0]->name, "name") == 0);
  CheckName(batch.children[0], 0, 299);
  batch.release(&batch);
  schema.release(&schema);

  CHECK_OK(lance_dataset_take(dataset, NULL, 0, NULL, 0, &batch, &schema, &error));
  CHECK(batch.length == 0);
  batch.release(&batch);
  schema.release(&schema);
}

static void TestVersions(const char* uri, const LanceDataset* first) {
  struct ArrowArrayStream stream = MakeStream(kRows, -1);
  LanceWriteOptions options = LANCE_WRITE_OPTIONS_INIT;
  options.mode = LANCE_WRITE_APPEND;
  CHECK_OK(lance_dataset_write(uri, &stream, &options, NULL, &error));

  int64_t latest = 0;
  CHECK_OK(lance_dataset_latest_version(first, &latest, &error));
  CHECK(latest == Version(first) + 1);
  CHECK(CountRows(first) == kRows);

  LanceDataset* newest = NULL;
  LanceDataset* old = NULL;
  CHECK_OK(lance_dataset_open(uri, 0, &newest, &error));
  CHECK(Version(newest) == latest);
  CHECK(CountRows(newest) == 2 * kRows);
  CHECK_OK(lance_dataset_open(uri, Version(first), &old, &error));
  CHECK(CountRows(old) == kRows);

  /* A stream outlives the handle that it came from. */
  struct ArrowArrayStream scan;
  CHECK_OK(lance_dataset_scan(newest, NULL, &scan, &error));
  lance_dataset_close(newest);
  lance_dataset_close(old);
  CHECK(CheckStream(&scan, 0, 2, 2 * kRows) == 2 * kRows);
}

static void TestWriteErrors(const char* uri, const LanceDataset* dataset) {
  int64_t before = 0;
  int64_t after = 0;
  int released = released_streams;
  CHECK_OK(lance_dataset_latest_version(dataset, &before, &error));

  struct ArrowArrayStream stream = MakeStream(0, -1);
  CHECK_FAILS(lance_dataset_write(uri, &stream, NULL, NULL, &error), LANCE_ERROR_ALREADY_EXISTS,
              "");
  CHECK(released_streams == ++released);
  CHECK_FAILS(lance_dataset_write(uri, &stream, NULL, NULL, &error), LANCE_ERROR_INVALID_ARGUMENT,
              "already released");
  CHECK_FAILS(lance_dataset_write(uri, NULL, NULL, NULL, &error), LANCE_ERROR_INVALID_ARGUMENT,
              "stream");

  LanceWriteOptions options = LANCE_WRITE_OPTIONS_INIT;
  options.mode = LANCE_WRITE_APPEND;
  stream = MakeStream(0, 1);
  CHECK(lance_dataset_write(uri, &stream, &options, NULL, NULL) != LANCE_OK);
  CHECK(released_streams == ++released);

  options.mode = 7;
  stream = MakeStream(0, -1);
  CHECK_FAILS(lance_dataset_write(uri, &stream, &options, NULL, &error),
              LANCE_ERROR_INVALID_ARGUMENT, "write mode");
  options.mode = LANCE_WRITE_APPEND;
  options.max_rows_per_file = -1;
  stream = MakeStream(0, -1);
  CHECK_FAILS(lance_dataset_write(uri, &stream, &options, NULL, &error),
              LANCE_ERROR_INVALID_ARGUMENT, "max_rows_per_file");
  options.max_rows_per_file = 0;
  options.data_storage_version = "9.9";
  stream = MakeStream(0, -1);
  CHECK_FAILS(lance_dataset_write(uri, &stream, &options, NULL, &error),
              LANCE_ERROR_INVALID_ARGUMENT, "9.9");
  stream = MakeStream(0, -1);
  CHECK_FAILS(lance_dataset_write(NULL, &stream, NULL, NULL, &error), LANCE_ERROR_INVALID_ARGUMENT,
              "uri");
  CHECK(released_streams == released + 4);

  CHECK_OK(lance_dataset_latest_version(dataset, &after, &error));
  CHECK(before == after);
}

static void TestReadErrors(const char* uri, const LanceDataset* dataset) {
  LanceDataset* opened = NULL;
  int64_t number = 0;
  struct ArrowArrayStream stream;
  struct ArrowArray array;
  struct ArrowSchema schema;
  CHECK_FAILS(lance_dataset_open("/nowhere/at all", 0, &opened, &error), LANCE_ERROR_NOT_FOUND,
              "/nowhere/at all");
  CHECK_FAILS(lance_dataset_open(uri, 1000000, &opened, &error), LANCE_ERROR_NOT_FOUND, "1000000");
  CHECK_FAILS(lance_dataset_open_tag(uri, "no-tag", &opened, &error), LANCE_ERROR_NOT_FOUND,
              "no-tag");
  CHECK(opened == NULL);
  CHECK_FAILS(lance_dataset_open(NULL, 0, &opened, &error), LANCE_ERROR_INVALID_ARGUMENT, "uri");
  CHECK_FAILS(lance_dataset_open(uri, -1, &opened, &error), LANCE_ERROR_INVALID_ARGUMENT,
              "version");
  CHECK_FAILS(lance_dataset_open(uri, 0, NULL, &error), LANCE_ERROR_INVALID_ARGUMENT, "out");
  CHECK_FAILS(lance_dataset_open_tag(uri, NULL, &opened, &error), LANCE_ERROR_INVALID_ARGUMENT,
              "tag");
  CHECK_FAILS(lance_dataset_count_rows(NULL, &number, &error), LANCE_ERROR_INVALID_ARGUMENT,
              "dataset");
  CHECK_FAILS(lance_dataset_version(dataset, NULL, &error), LANCE_ERROR_INVALID_ARGUMENT, "out");
  CHECK_FAILS(lance_dataset_schema(NULL, &schema, &error), LANCE_ERROR_INVALID_ARGUMENT, "dataset");
  /* The description may be left out. */
  CHECK(lance_dataset_count_rows(NULL, &number, NULL) == LANCE_ERROR_INVALID_ARGUMENT);

  LanceScanOptions options = LANCE_SCAN_OPTIONS_INIT;
  options.limit = -2;
  CHECK_FAILS(lance_dataset_scan(dataset, &options, &stream, &error), LANCE_ERROR_INVALID_ARGUMENT,
              "limit");
  options.limit = -1;
  options.with_row_id = 2;
  CHECK_FAILS(lance_dataset_scan(dataset, &options, &stream, &error), LANCE_ERROR_INVALID_ARGUMENT,
              "with_row_id");
  options.with_row_id = 0;
  options.struct_size = 8;
  CHECK_FAILS(lance_dataset_scan(dataset, &options, &stream, &error), LANCE_ERROR_INVALID_ARGUMENT,
              "struct_size");
  options.struct_size = sizeof(options);
  options.num_columns = 1;
  CHECK_FAILS(lance_dataset_scan(dataset, &options, &stream, &error), LANCE_ERROR_INVALID_ARGUMENT,
              "columns");
  const char* unknown[] = {"nam"};
  options.columns = unknown;
  CHECK_FAILS(lance_dataset_scan(dataset, &options, &stream, &error), LANCE_ERROR_INVALID_ARGUMENT,
              "name");

  options = (LanceScanOptions)LANCE_SCAN_OPTIONS_INIT;
  options.filter = "nam = 'x'";
  CHECK_FAILS(lance_dataset_scan(dataset, &options, &stream, &error), LANCE_ERROR_INVALID_ARGUMENT,
              "did you mean 'name'?");

  const int64_t negative[] = {0, -1};
  const int64_t beyond[] = {kRows};
  CHECK_FAILS(lance_dataset_take(dataset, negative, 2, NULL, 0, &array, &schema, &error),
              LANCE_ERROR_INVALID_ARGUMENT, "indices[1]");
  CHECK_FAILS(lance_dataset_take(dataset, beyond, 1, NULL, 0, &array, &schema, &error),
              LANCE_ERROR_INVALID_ARGUMENT, "300");
  CHECK_FAILS(lance_dataset_take(dataset, NULL, 1, NULL, 0, &array, &schema, &error),
              LANCE_ERROR_INVALID_ARGUMENT, "indices");
  CHECK_FAILS(lance_dataset_take(dataset, beyond, 1, NULL, 0, NULL, &schema, &error),
              LANCE_ERROR_INVALID_ARGUMENT, "out_array");
}

/* Options of a program that was compiled against a later header. */
static void TestLaterHeader(const LanceDataset* dataset) {
  struct {
    LanceScanOptions known;
    int64_t added;
  } later = {LANCE_SCAN_OPTIONS_INIT, 0};
  later.known.struct_size = sizeof(later);
  struct ArrowArrayStream stream;
  CHECK_OK(lance_dataset_scan(dataset, &later.known, &stream, &error));
  stream.release(&stream);
  later.added = 1;
  CHECK_FAILS(lance_dataset_scan(dataset, &later.known, &stream, &error),
              LANCE_ERROR_INVALID_ARGUMENT, "LanceScanOptions");
}

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: consumer FOLDER\n");
    return 2;
  }
  char uri[4096];
  snprintf(uri, sizeof(uri), "%s/from_c.lance", argv[1]);
  CHECK(strlen(lance_library_version()) > 0);
  lance_error_free(NULL);
  lance_dataset_close(NULL);

  LanceDataset* dataset = TestWrite(uri);
  TestSchema(dataset);
  TestScan(dataset);
  TestTake(dataset);
  TestVersions(uri, dataset);
  TestWriteErrors(uri, dataset);
  TestReadErrors(uri, dataset);
  TestLaterHeader(dataset);
  lance_dataset_close(dataset);
  if (failures == 0) printf("C consumer of lance %s: all checks passed\n", lance_library_version());
  return failures == 0 ? 0 : 1;
}
