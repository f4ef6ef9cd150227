// A request and its response during the transfer.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/network/url.hpp"
#include "http/adapter.hpp"
#include "http/buffer_budget.hpp"

namespace fw::client {

class Transfer;

using Clock = std::chrono::steady_clock;
using Deadline = std::optional<Clock::time_point>;

/// How a transfer continues without a caller.
struct Detachment {
  std::chrono::milliseconds idle;  ///< it ends when nothing of the request is sent for so long
  Deadline until;                  ///< it ends then
  /// Called by another thread, with the reason, if the rest of the request is not sent, or may not
  /// have been.
  std::function<void(std::string_view reason)> on_cut_off;
};

/// The I/O of one transfer. Destroying it ends the transfer, and its connection unless the response
/// is complete.
class Channel {
 public:
  virtual ~Channel() = default;
  /// Called when there is room for received bytes, or when there are bytes to send.
  virtual void resume() = 0;
  /// Ends the transfer. Thread-safe.
  virtual void cancel() = 0;
  /// Before the channel is destroyed: the transfer continues until the request has been sent, as
  /// long as `detachment` and the number of such transfers allow.
  virtual void detach(Detachment detachment) = 0;
};

/// Opens channels. Thread-safe. Must outlive the channels, and must not be destroyed by them.
class OutboundTransport {
 public:
  virtual ~OutboundTransport() = default;
  /// Begins the transfer.
  virtual std::unique_ptr<Channel> open(std::shared_ptr<Transfer> transfer) = 0;
  /// Makes all current and later transfers fail.
  virtual void stop() = 0;
};

struct OutboundRequest {
  std::string method;
  Url url;
  http::Fields fields = {};
  std::shared_ptr<const std::string> body = {};  ///< null if there is no body, or a streamed one
  bool streams_body = false;                     ///< see `Transfer::feed`
  std::optional<std::uint64_t> body_size = {};   ///< size of a streamed body, if known
  bool needs_new_connection = false;             ///< an idle connection must not be used
  bool only_public_addresses = false;            ///< see `Addresses::public_only`
  bool needs_http_1 = false;                     ///< HTTP/2 must not be used
};

struct OutboundFailure {
  enum class Kind {
    network,
    stale,         ///< a connection that was used before has ended without a byte of a response
    refused,       ///< the upstream says that it has not processed the request
    needs_http_1,  ///< the same, and that it wants it by HTTP/1.1
    tls,
    address,  ///< no address of the host may be connected to
  };
  Kind kind = Kind::network;
  std::string message;
};

/// The caller's functions are used by one thread at a time, except `abort`; the channel's functions
/// by another thread at the same time.
class Transfer : public std::enable_shared_from_this<Transfer> {
 public:
  explicit Transfer(OutboundRequest request);
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  const OutboundRequest& request() const { return request_; }

  // For the caller:

  enum class Outcome {
    ready,      ///< the head or bytes of the body have arrived
    feed,       ///< bytes of a streamed body can be sent
    later,      ///< nothing has arrived: see `watch`
    end,        ///< the body is complete
    failed,     ///< see `failure`
    timed_out,  ///< the deadline has expired
    aborted,
  };

  void start(OutboundTransport& transport);
  /// Waits until the head of the response has arrived, or for another outcome.
  Outcome wait_for_head(Deadline deadline);
  /// Waits until bytes of a streamed body can be sent. Returns `ready` if the response
  /// must be read before more bytes can be sent, or if the transfer has already ended.
  Outcome wait_to_feed(Deadline deadline);
  /// Sends bytes of a streamed body; an empty string ends it.
  void feed(std::string_view bytes);
  /// After the head: no more of the body will be sent. The response can still be read.
  void stop_feeding();
  /// After the last `feed`: waits until the request has been sent. Returns `ready` then, if the
  /// response must be read first, or if only the end of the response will show it; `later` if part
  /// of the request has been sent.
  Outcome wait_until_sent(Deadline deadline);
  /// Reads bytes of the response without their framing, at least one if the outcome is `ready`.
  Outcome read(std::span<char> buffer, std::size_t& count, Deadline deadline);
  /// The same without waiting: the outcome may be `later`, but not `timed_out`.
  Outcome try_read(std::span<char> buffer, std::size_t& count);
  /// From now on, calls the waker once after each outcome `later`, when there is another one.
  /// Counts in `buffers`, unless it is null, the bytes that wait for the reader. While more than
  /// half of it is in use, the channel waits until they have been read. If they exceed it, the
  /// transfer fails after them.
  void watch(std::weak_ptr<http::BodyWaker> waker, std::shared_ptr<http::BufferBudget> buffers);
  /// The bytes that are counted. Thread-safe.
  std::size_t counted() const;
  /// Aborts the transfer and frees what has arrived; does not call the waker.
  void abandon();
  /// Whether the whole response has arrived, although it may not have been read.
  bool is_complete() const;
  /// Whether it is complete, has failed or was aborted.
  bool has_ended() const;
  /// Aborts the transfer, and ends the wait for it. Thread-safe.
  void abort();
  /// Ends the transfer, and its connection unless the response is complete. This or `detach` must
  /// be called before the last reference is dropped.
  void close();
  /// After the head: whether the whole request has been sent. False if it is not known.
  bool has_sent_request() const;
  /// Discards what arrives of the response, and sends what is left of the request: see
  /// `Channel::detach`. The body must have been fed to its end.
  void detach(Detachment detachment);
  /// @{
  /// The response, once its head has arrived.
  int status() const { return status_; }
  std::string_view http_version() const { return http_version_; }
  http::Fields take_fields() { return std::move(fields_); }
  /// @}
  /// After the outcome `failed`.
  const OutboundFailure& failure() const { return *failure_; }

  // For the channel:

  enum class Put { taken, full, rejected };
  enum class Take { some, later, end, failed };
  /// What is known about a request that has a body, after the head of the response.
  struct Progress {
    std::uint64_t sent = 0;           ///< bytes of the body, maybe with their framing
    bool has_sent_request = false;    ///< false if it is not known
    bool knows_sent_request = false;  ///< `has_sent_request` will be true before the response ends
    bool has_whole_response = false;  ///< likewise false if it is not known

    bool operator==(const Progress&) const = default;
  };

  /// `http_version` must be a literal.
  void put_head(int status, http::Fields fields, std::string_view http_version = "1.1");
  Put put_body(std::string_view bytes);
  Take take_body(std::span<char> buffer, std::size_t& count);
  void put_progress(const Progress& progress);
  void finish(std::optional<OutboundFailure> failure);
  /// Wakes the caller after the functions above.
  void notify();

 private:
  bool wait(std::unique_lock<std::mutex>& lock, Deadline deadline, auto is_over);
  std::optional<Outcome> take_received(std::unique_lock<std::mutex>& lock, std::span<char> buffer,
                                       std::size_t& count);
  std::unique_ptr<Channel> release();
  // With the lock:
  [[nodiscard]] std::shared_ptr<http::BodyWaker> take_waker();
  bool count_received(std::size_t size);

  const OutboundRequest request_;

  mutable std::mutex mutex_;  // guards the following members
  std::condition_variable changed_;
  bool is_aborted_ = false;
  bool has_head_ = false;
  int status_ = 0;                 ///< does not change after the head
  std::string_view http_version_;  ///< likewise
  http::Fields fields_;            ///< likewise
  std::string received_;           ///< bytes of the body; cleared when all have been read
  std::size_t read_ = 0;           ///< number of bytes of `received_` that were read
  bool is_full_ = false;           ///< the channel waits for `resume` before it adds more
  std::string to_send_;            ///< of a streamed body
  std::size_t sent_ = 0;           ///< number of bytes of `to_send_` that were sent
  bool wants_bytes_ = false;       ///< the channel waits for `resume` before it sends more
  bool is_fed_ = false;            ///< the streamed body has ended
  bool is_cut_off_ = false;        ///< see `stop_feeding`
  bool is_detached_ = false;
  std::optional<Progress> progress_;  ///< nothing before the head
  bool is_over_ = false;
  std::optional<OutboundFailure> failure_;  ///< does not change after `is_over_`
  std::weak_ptr<http::BodyWaker> waker_;
  bool must_wake_ = false;                          ///< the last outcome was `later`
  std::shared_ptr<http::BufferBudget> buffers_;     ///< outlives the share
  std::optional<http::BufferBudget::Share> share_;  ///< of `received_`

  std::unique_ptr<Channel> channel_;  ///< only changed by the thread of the caller
};

/// Returns the addresses of a host. Throws std::runtime_error if there are none.
using LookUp = std::function<std::vector<std::string>(const std::string& host)>;

struct TransportOptions {
  std::string ca_file = {};
  std::string certificate_file = {};
  std::string key_file = {};
  /// Maximum idle time of a connection. Servers close idle connections after five seconds or more.
  std::chrono::milliseconds longest_idle{4'000};
  /// Maximum time that a transfer continues without a caller: see `Detachment`. Even on a slow
  /// line, the 64 MB that such transfers may have take less.
  std::chrono::milliseconds longest_detached{3'600'000};
  /// Empty: the system's resolver. May be called by several threads at a time.
  LookUp look_up = {};
  bool http2 = false;  ///< offers HTTP/2 to https upstreams, if libcurl has it
};

/// Whether the client of this build and the libcurl that it runs with have HTTP/2. Throws
/// std::runtime_error if libcurl cannot be loaded.
bool has_http2();

/// Throws std::logic_error in a build without the outbound client, and std::runtime_error if
/// libcurl cannot be loaded.
std::shared_ptr<OutboundTransport> make_transport(TransportOptions options);

}  // namespace fw::client
