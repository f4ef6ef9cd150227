// The transaction of one request on a connection.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>

#include "base/short_mutex.hpp"
#include "http/adapter.hpp"
#include "http/body_decoder.hpp"
#include "http/epoll/connection.hpp"
#include "http/framing.hpp"
#include "http/http1/pending_request.hpp"
#include "http/response_head.hpp"

namespace fw::http {

/// Owns the connection from the end of the request head to the end of the response, shared by the
/// three parties that connection_lease.hpp describes.
class HttpTransaction final : public Transaction,
                              public std::enable_shared_from_this<HttpTransaction> {
 public:
  /// Owned by the worker that constructs it.
  HttpTransaction(const std::shared_ptr<Connection>& connection, ReadyRequest&& request);

  const RequestHead& head() const override { return head_; }
  BodyStatus read_body(std::uint64_t limit, std::string& body) override;
  BodyPart read_body_part(std::uint64_t limit, std::span<char> buffer,
                          std::chrono::steady_clock::time_point until) override;
  bool respond(const ResponseHead& head, std::string_view body) override;
  bool respond_stream(const ResponseHead& head, std::optional<std::uint64_t> length,
                      BodyProducer produce, StreamEnd ended) override;
  bool respond_file(const ResponseHead& head, FilePart part, StreamEnd ended) override;
  bool respond_pushed(const ResponseHead& head, std::shared_ptr<PushedBody> body) override;
  bool pushes_without_thread() const override { return true; }
  bool can_open_socket() const override { return true; }
  bool respond_socket(const ResponseHead& head, std::shared_ptr<SocketPeer> peer) override;
  bool has_response() const override { return has_response_.load(std::memory_order_acquire); }
  void on_disconnect(DisconnectCallback callback) override;
  bool begin_wait(std::size_t others) override { return connection_->begin_handler_wait(others); }
  void end_wait() override { connection_->end_handler_wait(); }
  std::string_view http_version() const override { return framing_.is_http_1_0 ? "1.0" : "1.1"; }
  RequestPlan* plan() const override { return plan_.get(); }

  /// Ends the connection if there is no response and none can be sent.
  void abort() noexcept;

  /// Must be called by the worker after the handler has returned and a response exists. Returns
  /// whether the worker continues with the connection; otherwise another thread does.
  bool leave_worker() { return worker_continues_; }

 private:
  enum class BodyState {
    unread,
    reading,
    partly_read,  ///< a part was read, and the next one is not being read yet
    complete,
    unusable,
  };

  /// A body that is received by its reader.
  struct Reception {
    BodyDecoder decoder;
    bool awaits_continue;        ///< the client may wait for 100 Continue
    std::int64_t waited = 0;     ///< milliseconds that the reader has spent on it
    std::uint64_t received = 0;  ///< bytes, framing included
    std::string part = {};       ///< decoded and not taken completely
    std::size_t taken = 0;       ///< bytes of `part`
  };

  bool claim() { return !has_response_.exchange(true, std::memory_order_acq_rel); }
  template <class MakeStream>
  bool respond_with(const ResponseHead& head, std::optional<std::uint64_t> length,
                    const StreamEnd& ended, const MakeStream& make_stream);
  /// The action after the response. An unread body is discarded.
  Connection::NextAction decide_end(const ResponseHead& head, bool ends_watch);
  ConnectionField connection_field(Connection::NextAction after) const;
  void complete(Connection::NextAction after);
  void abandon() noexcept;
  void end_watch();
  /// The same for a caller that holds the lock.
  void end_watch_locked();
  bool has_whole_body() const;
  BodyStatus take_received(std::uint64_t limit, std::string& body);
  std::optional<BodyStatus> begin_reading();
  void end_reading(BodyState state);
  Reception begin_reception(std::uint64_t limit) const;
  BodyPart take_part(std::span<char> buffer);
  std::optional<BodyStatus> receive(std::string& content,
                                    std::chrono::steady_clock::time_point until);
  std::optional<BodyStatus> receive_since(std::int64_t begin, std::string& content,
                                          std::chrono::steady_clock::time_point until);
  bool send_continue();

  const std::shared_ptr<Connection> connection_;
  const RequestHead head_;
  const Framing framing_;
  std::optional<ReceivedBody> received_;
  const std::unique_ptr<RequestPlan> plan_;
  BufferBudget::Share body_share_;      ///< share of a body that is received here
  std::optional<Reception> reception_;  ///< used by the reader only
  const std::thread::id worker_ = std::this_thread::get_id();
  bool worker_continues_ =
      false;  ///< used by the worker only: it responded, so it keeps the connection

  std::atomic<bool> has_response_{false};
  base::ShortMutex mutex_;  ///< guards the following members
  BodyState body_ = BodyState::unread;
  bool watches_disconnect_ = false;
  /// The disconnect callback is no longer called: the response has been sent, or is about to be.
  bool watch_has_ended_ = false;
  /// The action that the reader must take, because another thread responded while it owned the
  /// connection.
  std::optional<Connection::NextAction> after_reading_;
};

}  // namespace fw::http
