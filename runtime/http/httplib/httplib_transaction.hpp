// The transaction of a request that cpp-httplib has received.
#pragma once

#include <httplib.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <thread>

#include "http/adapter.hpp"
#include "http/body_decoder.hpp"
#include "http/framing.hpp"
#include "http/httplib/socket_stream.hpp"
#include "http/response_stream.hpp"

namespace fw::http {

/// Detects on its own thread that clients have disconnected, and calls callbacks. Thread-safe.
class DisconnectMonitor {
 public:
  DisconnectMonitor();

  /// Calls `callback` once when the client closes its side, until `forget`. Gives back the callback
  /// that was set before.
  void watch(int fd, DisconnectCallback& callback);
  /// Must be called before the descriptor is closed. Returns the callback if it was not called.
  DisconnectCallback forget(int fd);

 private:
  void run(const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<int, DisconnectCallback> watched_;
  std::jthread thread_;  ///< last, because it uses all other members
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
  BodyPart read_body_part(std::uint64_t limit, std::span<char> buffer,
                          std::chrono::steady_clock::time_point until) override;
  bool respond(const ResponseHead& head, std::string_view body) override;
  bool respond_stream(const ResponseHead& head, std::optional<std::uint64_t> length,
                      BodyProducer produce, StreamEnd ended) override;
  bool respond_pushed(const ResponseHead& head, std::shared_ptr<PushedBody> body) override;
  std::string_view http_version() const override { return framing_.is_http_1_0 ? "1.0" : "1.1"; }
  bool has_response() const override;
  void on_disconnect(DisconnectCallback callback) override;
  RequestPlan* plan() const override { return plan_.get(); }

  // For the thread of the connection:

  /// From here to `finish`, the body can be read.
  void begin_body();
  /// Receives the body before the handler runs, if the plan allows it.
  void receive_body(std::unique_ptr<RequestPlan> plan);
  /// Called after the handler has returned and a response exists. Sends its rest, and skips a small
  /// unread body. Returns false if the client did not receive the whole response.
  bool finish();
  /// Whether the connection ends after the response.
  bool closes() const { return closes_; }

 private:
  class Waker;

  bool push(ResponseStream& stream);
  void receive_body(std::uint64_t limit);
  std::optional<BodyStatus> receive(std::uint64_t limit, std::string& content,
                                    std::chrono::steady_clock::time_point until);
  std::optional<BodyStatus> begin_receiving(std::uint64_t limit);
  /// Whether the body has been read, or may be skipped.
  bool can_complete_body() const;
  bool send_continue();
  // The caller holds the mutex:
  std::string begin_response(const ResponseHead& head, BodyEnd end, std::uint64_t length);
  void send_without_waiting(std::string bytes);
  template <class MakeStream>
  std::optional<bool> respond_with(const ResponseHead& head, std::optional<std::uint64_t> length,
                                   const MakeStream& make_stream);
  DisconnectCallback end_watch();

  const RequestHead head_;
  const Framing framing_;
  std::unique_ptr<RequestPlan> plan_;
  DisconnectMonitor& monitor_;
  const std::thread::id thread_ = std::this_thread::get_id();
  bool is_readable_ = false;  ///< nothing of the body has been read, and it can be
  bool has_whole_body_;
  std::optional<BodyDecoder> decoder_;  ///< of a body that is being read
  std::int64_t left_at_ = 0;            ///< when the reader had its last part
  std::optional<BodyStatus> received_;  ///< nothing more will come
  std::string received_body_;           ///< the rest of it, or a part
  std::size_t taken_ = 0;               ///< bytes of `received_body_`

  mutable std::mutex mutex_;  ///< guards the following members
  SocketStream* stream_;      ///< null after everything has been sent
  bool has_response_ = false;
  bool closes_;
  bool watch_has_ended_ = false;
  std::string unsent_;
  std::unique_ptr<ResponseStream> response_stream_;
  std::shared_ptr<Waker> waker_;  ///< of a pushed body
};

}  // namespace fw::http
