// Reads one data file in the ways that matter: `lance_bench_read FILE [COLUMN]`. Prints the median
// of the runs; the file is warm in the page cache. To compare with: its bytes, only copied.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

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
  const double stream = MedianMicros(21, [&] {
    for (uint64_t at = 0; at < n; at += step) {
      ReadOrDie(reader, projection, {{at, std::min(step, n - at)}});
    }
  });
  const double table = MedianMicros(11, [&] { ReadOrDie(reader, projection, {{0, n}}); });
  std::printf("%-10s take 1: %7.1f us  take 1000: %8.1f us  stream: %7.1f ms  table: %7.1f ms\n",
              name, one, thousand, stream / 1000, table / 1000);
}

void PreadOrDie(int file, char* out, size_t size, off_t at) {
  while (size > 0) {
    const ssize_t read = pread(file, out, size, at);
    if (read <= 0) std::exit(1);
    out += read;
    at += read;
    size -= static_cast<size_t>(read);
  }
}

/// What its bytes cost without any decoding: through one small buffer, and into fresh huge pages.
void ReportCopies(const char* path) {
  constexpr size_t kBufferBytes = 8 << 20;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  const auto size = static_cast<size_t>(lseek(file, 0, SEEK_END));
  std::vector<char> buffer(kBufferBytes);
  const double reused = MedianMicros(21, [&] {
    for (size_t at = 0; at < size; at += kBufferBytes) {
      PreadOrDie(file, buffer.data(), std::min(kBufferBytes, size - at), static_cast<off_t>(at));
    }
  });
  const double fresh = MedianMicros(11, [&] {
    void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) std::exit(1);
    madvise(memory, size, MADV_HUGEPAGE);
    PreadOrDie(file, static_cast<char*>(memory), size, 0);
    munmap(memory, size);
  });
  close(file);
  std::printf("%-10s %.1f MB; into 8 MiB: %.1f ms  into fresh huge pages: %.1f ms\n", "pread",
              static_cast<double>(size) / 1e6, reused / 1000, fresh / 1000);
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
  ReportCopies(argv[1]);
  Report(*reader, "all", reader->Project().ValueOrDie());
  for (const Field& field : reader->schema().fields) {
    Report(*reader, field.name.c_str(), reader->Project({field.name}).ValueOrDie());
  }
  return 0;
}

}  // namespace
}  // namespace lance

int main(int argc, char** argv) { return lance::Main(argc, argv); }
