#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>

namespace lance::safety {

/// A process made by fork(), of which the test goes on to use what it writes. Not thread-safe.
class ChildProcess {
 public:
  /// Runs the function in the child; what it writes to the descriptor is read here.
  explicit ChildProcess(const std::function<void(int output)>& run);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();

  void Kill();
  /// Waits for its end; everything that it wrote.
  std::string Finish();

 private:
  pid_t pid_ = -1;
  int input_ = -1;
};

/// Writes a line that arrives as a whole or not at all.
void WriteLine(int output, const std::string& line);

}  // namespace lance::safety
