// The application of these tests as a process, with a directory and a configuration of its own.
#pragma once

#include <fairway/json.hpp>

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "eventually.hpp"
#include "support/child_process.hpp"
#include "temporary_directory.hpp"

namespace e2e {

/// All that a server sends to one request on a connection of its own; nothing when there is no
/// connection (which `is_rejected` says), or no whole response.
std::optional<std::string> ask(int port, std::string_view method, std::string_view target,
                               bool* is_rejected = nullptr, std::string_view fields = {});
std::optional<std::string> ask_path(const std::string& socket_path, std::string_view target);

/// 0 without a response.
int status_of(const std::optional<std::string>& response);

/// The member `data` of a response's JSON body.
fw::Json data_of(const std::string& response);

using fairway::test::eventually;

bool is_alive(pid_t pid);

class ServerUnderTest {
 public:
  /// Starts it on a free port, or on `port`, with `config` as its config/default.json.
  explicit ServerUnderTest(const fw::Json& config, int port = free_port());

  int port() const { return port_; }
  ChildProcess& process() { return process_; }
  const fairway::test::TemporaryDirectory& directory() const { return directory_; }
  void configure(const fw::Json& config) const;
  /// Waits until its log has the text, so many times; false when it ends before.
  bool wait_for_log(std::string_view text, int times = 1) const;
  int count_in_log(std::string_view text) const;
  std::string log() const { return process_.standard_output(); }

  /// What GET /who says.
  fw::Json who() const;
  /// The process ids in responses, found by repeating requests until there are `count`.
  std::set<pid_t> workers(std::size_t count) const;

 private:
  fairway::test::TemporaryDirectory directory_;
  int port_;
  ChildProcess process_;
};

}  // namespace e2e
