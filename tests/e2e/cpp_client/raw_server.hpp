// A server that responds with given bytes, right or wrong, one connection after the other.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace e2e {

/// Responds to the n-th connection with the n-th text, the last text again and again, and closes
/// it.
class RawServer {
 public:
  static constexpr std::string_view kSilence = "<silence>";  ///< nothing until the client leaves
  static constexpr std::string_view kTrickle = "<trickle>";  ///< a byte now and then, without end

  explicit RawServer(std::vector<std::string> responses);
  ~RawServer();
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  /// The requests so far, head and body as they came.
  std::vector<std::string> requests() const;
  /// Waits until so many requests have come.
  void wait_for_requests(std::size_t count) const;

 private:
  void serve();
  void respond(int connection, const std::string& text);

  std::vector<std::string> responses_;
  int port_ = 0;  // set with the listener
  int listener_ = -1;
  std::atomic<bool> ends_ = false;
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;
  std::thread thread_;
};

/// A whole response with a JSON body; `head` are further header lines, each with its line end.
std::string json_response(const std::string& status, const std::string& body,
                          const std::string& head = "");

/// A port whose connections nobody accepts or reads. When its queue is full, connecting waits.
class DeafPort {
 public:
  enum class Queue { empty, full };
  explicit DeafPort(Queue queue);
  ~DeafPort();
  DeafPort(const DeafPort&) = delete;
  DeafPort& operator=(const DeafPort&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

 private:
  int port_ = 0;  // set with the listener
  int listener_ = -1;
  std::vector<int> waiting_;
};

}  // namespace e2e
