// The transaction of a request that cpp-httplib has received.
#pragma once

#include <httplib.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "http/adapter.hpp"
#include "http/framing.hpp"
#include "http/httplib/socket_stream.hpp"
#include "http/response_stream.hpp"

namespace fw::http {

/// Detects on its own thread that clients have disconnected, and calls callbacks. Thread-safe.
class DisconnectMonitor {
 public:
  DisconnectMonitor();
  ~DisconnectMonitor();
  DisconnectMonitor(const DisconnectMonitor&) = delete;
  DisconnectMonitor& operator=(const DisconnectMonitor&) = delete;

  /// Calls `callback` once when the client closes its side, until `forget`.
  void watch(int fd, std::function<void()> callback);
  /// Must be called before the descriptor is closed. Returns the callback if it was not called.
  std::function<void()> forget(int fd);

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<int, std::function<void()>> watched_;
  bool is_stopping_ = false;
  std::thread thread_;  ///< last, because it uses all other members
};

/// The part of a response that the client accepts without blocking is sent at once. The thread of
/// the connection sends the rest, and streams, after the handler has returned. Disconnects are
/// detected until the last bytes of the response are about to be sent.
class HttplibTransaction final : public Transaction {
 public:
  /// Must be constructed on the thread of the connection. `is_last`: the connection ends after this
  /// request.
  HttplibTransaction(RequestHead head, const Framing& framing, SocketStream& stream,
                     DisconnectMonitor& monitor, bool is_last);

  const RequestHead& head() const override { return head_; }
  BodyStatus read_body(std::uint64_t limit, std::string& body) override;
  bool respond(ResponseHead head, std::string_view body) override;
  bool respond_stream(ResponseHead head, std::optional<std::uint64_t> length, BodyProducer produce,
                      StreamEnd ended) override;
  bool has_response() const override;
  void on_disconnect(std::function<void()> callback) override;

  // For the thread of the connection:

  /// Bodies are read from it while the handler runs.
  void set_reader(const httplib::ContentReader& reader) { reader_ = &reader; }
  /// Receives the body before the handler runs.
  void receive_body(std::uint64_t limit) { received_ = read(limit, received_body_); }
  /// Called after the handler has returned and a response exists. Sends its rest, and skips a small
  /// unread body. Returns false if the client did not receive the whole response.
  bool finish();
  /// Whether the connection ends after the response.
  bool closes() const { return closes_; }

 private:
  BodyStatus read(std::uint64_t limit, std::string& body);
  /// Whether the body has been read, or may be skipped.
  bool can_complete_body() const;
  bool send_continue();
  // The caller holds the mutex:
  std::string begin_response(const ResponseHead& head, BodyEnd end, std::uint64_t length);
  void send_without_waiting(std::string bytes);
  std::function<void()> end_watch();

  const RequestHead head_;
  const Framing framing_;
  DisconnectMonitor& monitor_;
  const std::thread::id thread_ = std::this_thread::get_id();
  const httplib::ContentReader* reader_ = nullptr;
  bool has_whole_body_;
  std::optional<BodyStatus> received_;
  std::string received_body_;

  mutable std::mutex mutex_;  ///< guards the following members
  SocketStream* stream_;      ///< null after everything has been sent
  bool has_response_ = false;
  bool closes_;
  bool watch_has_ended_ = false;
  std::string unsent_;
  std::unique_ptr<ResponseStream> response_stream_;
};

}  // namespace fw::http
