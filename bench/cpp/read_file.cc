// Reads one data file in the ways that matter: `lance_bench_read FILE [COLUMN]`. Prints the median
// of the runs; the file is warm in the page cache.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>
#include <vector>

#include "arrow/api.h"
#include "base/executor.h"
#include "file/file_reader.h"

namespace lance {
namespace {

double MedianMicros(int runs, const std::function<void()>& body) {
  std::vector<double> times;
  for (int i = 0; i < runs; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    body();
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
    times.push_back(took.count());
  }
  std::nth_element(times.begin(), times.begin() + runs / 2, times.end());
  return times[static_cast<size_t>(runs / 2)];
}

void ReadOrDie(const FileReader& reader, const FileProjection& projection,
               const std::vector<RowRange>& rows) {
  Context context;
  auto batch = reader.Read(context, projection, rows);
  if (!batch.ok()) {
    std::fprintf(stderr, "%s\n", ErrorText(batch.status()).c_str());
    std::exit(1);
  }
}

void Report(const FileReader& reader, const char* name, const FileProjection& projection) {
  std::mt19937_64 random(7);
  const uint64_t n = reader.num_rows();
  const double one = MedianMicros(2000, [&] {
    ReadOrDie(reader, projection, {{random() % n, 1}});
  });
  const double thousand = MedianMicros(50, [&] {
    std::vector<uint64_t> rows(1000);
    for (uint64_t& row : rows) row = random() % n;
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    std::vector<RowRange> ranges;
    for (uint64_t row : rows) ranges.push_back({row, 1});
    ReadOrDie(reader, projection, ranges);
  });
  const double bytes_per_row = reader.BytesPerRow({}, projection).ValueOr(1.0);
  const uint64_t step = std::max<uint64_t>(
      1024,
      std::min<uint64_t>(1 << 15, static_cast<uint64_t>((8 << 20) / std::max(bytes_per_row, 0.1))) &
          ~uint64_t{1023});
  const double scan = MedianMicros(21, [&] {
    for (uint64_t at = 0; at < n; at += step) {
      ReadOrDie(reader, projection, {{at, std::min(step, n - at)}});
    }
  });
  std::printf("%-10s take 1: %8.1f us   take 1000: %9.1f us   scan: %9.1f ms\n", name, one,
              thousand, scan / 1000);
}

int Main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    std::fprintf(stderr, "usage: lance_bench_read FILE [COLUMN]\n");
    return 2;
  }
  Context context;
  auto reader =
      FileReader::Open(context, MakeLocalStore()->OpenReader(context, argv[1]).ValueOrDie())
          .ValueOrDie();
  if (argc == 3) {
    Report(*reader, argv[2], reader->Project({argv[2]}).ValueOrDie());
    return 0;
  }
  Report(*reader, "all", reader->Project().ValueOrDie());
  for (const Field& field : reader->schema().fields) {
    Report(*reader, field.name.c_str(), reader->Project({field.name}).ValueOrDie());
  }
  return 0;
}

}  // namespace
}  // namespace lance

int main(int argc, char** argv) { return lance::Main(argc, argv); }
