// Writes what the fuzz targets start from: make_fuzz_seeds FIXTURES OUT gives OUT/<target>/…

#include <cstdio>
#include <fstream>

#include "fuzz_seeds.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: make_fuzz_seeds FIXTURES OUT\n", stderr);
    return 2;
  }
  const std::filesystem::path root = argv[2];
  size_t count = 0;
  lance::Status status =
      lance::MakeFuzzSeeds(argv[1], [&](const std::string& target, std::string_view bytes) {
        std::filesystem::create_directories(root / target);
        std::ofstream out(root / target / std::to_string(count++), std::ios::binary);
        out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
      });
  if (!status.ok()) {
    std::fprintf(stderr, "make_fuzz_seeds: %s\n", lance::ErrorText(status).c_str());
    return 1;
  }
  std::printf("%zu seeds\n", count);
  return 0;
}
