// The application of the tests of the wire as a process of its own, and what it costs the
// machine.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "http/socket.hpp"
#include "support/child_process.hpp"
#include "temporary_directory.hpp"

namespace wire {

#ifdef WIRE_IS_SANITIZED
constexpr bool kIsSanitized = true;
#else
constexpr bool kIsSanitized = false;
#endif

/// Memory that a server may take for something. A sanitizer takes its part, too.
constexpr std::size_t megabytes(std::size_t count) {
  return count * (kIsSanitized ? 8 : 1) * 1024 * 1024;
}

class ServerProcess {
 public:
  /// What becomes of the server's standard output, and so of its log.
  enum class Output {
    collected,
    closed,
    unread,  ///< goes to a pipe that nobody reads
  };

  struct Options {
    std::string config = "{}";        ///< of the application, as JSON
    std::size_t max_descriptors = 0;  ///< 0: as many as the test may have
    Output output = Output::collected;
  };

  /// Starts a program and waits until it listens. Throws std::runtime_error.
  explicit ServerProcess(const std::string& program) : ServerProcess(program, Options()) {}
  ServerProcess(const std::string& program, const Options& options);

  std::uint16_t port() const { return port_; }
  e2e::ChildProcess& process() { return *process_; }
  /// The one that it runs in.
  std::filesystem::path directory() const { return directory_.path(); }

  std::size_t resident_bytes() const;
  std::size_t threads() const;
  std::size_t descriptors() const;
  /// What one of them leads to.
  std::string descriptor_target(int descriptor) const;
  /// Spent so far, by user and kernel.
  std::chrono::milliseconds processor_time() const;

 private:
  std::size_t status_number(const std::string& name) const;
  std::string proc(const std::string& name) const;

  fairway::test::TemporaryDirectory directory_;
  std::uint16_t port_;
  fw::http::FileDescriptor unread_pipe_;
  std::unique_ptr<e2e::ChildProcess> process_;
};

/// Lets this process, and those it starts, open as many descriptors as it may. Returns how many.
std::size_t raise_descriptor_limit();

}  // namespace wire
