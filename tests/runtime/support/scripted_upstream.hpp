// An upstream that does on its connections exactly what a test says.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace fw::support {

/// One connection, of the thread that the script runs on.
class ScriptedConnection {
 public:
  explicit ScriptedConnection(int descriptor) : descriptor_(descriptor) {}

  /// The next request, head and body; empty when the client has closed the connection.
  std::string read_request();
  /// Bytes as they arrive; empty when the client has closed the connection.
  std::string read_some();
  /// False when the client has gone.
  bool send(std::string_view bytes) const;
  /// Sends a response with Content-Length.
  void respond(int status, std::string_view body, std::string_view fields = "") const;
  /// Returns once the client has closed the connection.
  void wait_for_end();
  /// The system keeps about this number of bytes, at most, that the script has not read.
  void limit_unread(int bytes) const;
  /// Closes the connection before the script ends.
  void close() const;
  /// Ends the connection with RST.
  void reset() const;
  /// Requests that were read before, on this connection.
  int index() const { return index_; }

 private:
  bool receive();

  int descriptor_;
  int index_ = -1;
  std::string input_;
};

/// A request whose body a script reads as it arrives, after the head.
class ArrivingRequest {
 public:
  /// Reads the head.
  explicit ArrivingRequest(ScriptedConnection& connection);

  /// False when the client has closed the connection before.
  bool has_head() const { return has_head_; }
  /// The request target.
  const std::string& path() const { return path_; }
  bool is_chunked() const { return is_chunked_; }
  std::size_t length() const { return length_; }
  /// What has arrived of the body at once, with its framing; empty if nothing came with the head.
  const std::string& part() const { return part_; }
  /// Whether this part is the last one.
  bool is_complete() const { return is_chunked_ ? last_ == "0\r\n\r\n" : arrived_ == length_; }
  /// Reads the next part; false when the client has closed the connection.
  bool read();

 private:
  void note_part();

  ScriptedConnection& connection_;
  std::string path_;
  std::string part_;
  std::string last_;  ///< bytes of the body
  std::size_t arrived_ = 0;
  std::size_t length_ = 0;
  bool has_head_ = false;
  bool is_chunked_ = false;
};

/// Runs the script for each connection, on a thread of its own, and then closes it.
class ScriptedUpstream {
 public:
  using Script = std::function<void(ScriptedConnection&)>;
  explicit ScriptedUpstream(Script script);
  ~ScriptedUpstream();
  ScriptedUpstream(const ScriptedUpstream&) = delete;
  ScriptedUpstream& operator=(const ScriptedUpstream&) = delete;

  std::string url(std::string_view path = "/") const;
  int connections() const { return connections_; }

 private:
  void accept_all();

  const Script script_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<bool> ends_ = false;
  std::atomic<int> connections_ = 0;
  struct Running {
    int descriptor;
    std::atomic<bool> done = false;
    std::thread thread;
  };
  std::list<Running> running_;
  std::thread thread_;
};

/// What scripts tell the test.
template <class T>
class Shared {
 public:
  void set(T value) {
    const std::lock_guard lock(mutex_);
    value_ = std::move(value);
  }
  void update(const auto& change) {
    const std::lock_guard lock(mutex_);
    change(value_);
  }
  T get() const {
    const std::lock_guard lock(mutex_);
    return value_;
  }

 private:
  mutable std::mutex mutex_;
  T value_{};
};

/// A script that gives every request this response.
ScriptedUpstream::Script always(std::string response);

}  // namespace fw::support
