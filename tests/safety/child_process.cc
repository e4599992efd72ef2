#include "safety/child_process.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <utility>

namespace lance::safety {

ChildProcess::ChildProcess(const std::function<void(int output)>& run) {
  std::array<int, 2> ends;
  if (pipe(ends.data()) != 0) std::abort();
  pid_ = fork();
  if (pid_ == 0) {
    close(ends[0]);
    run(ends[1]);
    // Nothing of the test that this process is a copy of.
    _exit(0);
  }
  close(ends[1]);
  input_ = ends[0];
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), input_(std::exchange(other.input_, -1)) {}

ChildProcess::~ChildProcess() {
  if (pid_ > 0) {
    Kill();
    Finish();
  }
}

void ChildProcess::Kill() { kill(pid_, SIGKILL); }

std::string ChildProcess::Finish() {
  std::string text;
  std::array<char, 4096> buffer;
  ssize_t count = 0;
  while ((count = read(input_, buffer.data(), buffer.size())) > 0) {
    text.append(buffer.data(), static_cast<size_t>(count));
  }
  close(input_);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
  return text;
}

void WriteLine(int output, const std::string& line) {
  std::string text = line + "\n";
  // Shorter than PIPE_BUF.
  if (write(output, text.data(), text.size()) < 0) std::abort();
}

}  // namespace lance::safety
