// A request and its response during the transfer.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "client/url.hpp"
#include "http/adapter.hpp"

namespace fw::outbound {

class Transfer;

using Clock = std::chrono::steady_clock;
using Deadline = std::optional<Clock::time_point>;

/// Milliseconds until the deadline, for a wait; a minute if there is none or it is later.
int milliseconds_until(Deadline deadline);

/// The I/O of one transfer. Runs in the thread that waits for the transfer, so that a call needs no
/// switch to another thread and back; a transfer that nobody waits for makes no progress.
class Channel {
 public:
  virtual ~Channel() = default;
  /// Reads and writes what is possible at once, and passes what it has read to the transfer.
  virtual void perform() = 0;
  /// Waits until `perform` can make progress, for `wake`, or for the deadline.
  virtual void wait(Deadline deadline) = 0;
  /// Called when there is room for received bytes, or when there are bytes to send.
  virtual void resume() = 0;
  /// Ends the current `wait`, or the next one. Thread-safe.
  virtual void wake() = 0;
};

/// Opens channels. Thread-safe.
class Transport {
 public:
  virtual ~Transport() = default;
  /// `transfer` outlives the channel.
  virtual std::unique_ptr<Channel> open(Transfer& transfer) = 0;
  /// Makes all current and later transfers fail.
  virtual void stop() = 0;
};

struct OutboundRequest {
  std::string method;
  Url url;
  http::Fields fields;
  std::shared_ptr<const std::string> body;    ///< null if there is no body, or a streamed one
  bool streams_body = false;                  ///< see `Transfer::feed`
  std::optional<std::uint64_t> body_size;     ///< size of a streamed body, if known
  std::uint64_t max_size = ~std::uint64_t{};  ///< maximum number of bytes of the decoded response
};

struct OutboundFailure {
  enum class Kind { network, tls, too_large };
  Kind kind = Kind::network;
  std::string message;
};

/// Used by one thread at a time, except `abort`.
class Transfer {
 public:
  Transfer(OutboundRequest request, std::shared_ptr<Transport> transport);
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  const OutboundRequest& request() const { return request_; }

  // For the caller:

  enum class Outcome {
    ready,      ///< the head or bytes of the body have arrived
    feed,       ///< bytes of a streamed body can be sent
    end,        ///< the body is complete
    failed,     ///< see `failure`
    timed_out,  ///< the deadline has expired
    aborted,
  };

  void start();
  /// Waits until the head of the response has arrived, or for another outcome.
  Outcome wait_for_head(Deadline deadline);
  /// Waits until bytes of a streamed body can be sent. Returns `ready` if the response
  /// must be read before more bytes can be sent, or if the transfer has already ended.
  Outcome wait_to_feed(Deadline deadline);
  /// Sends bytes of a streamed body; an empty string ends it.
  void feed(std::string_view bytes);
  /// Reads bytes of the response, at least one if the outcome is `ready`.
  Outcome read(std::span<char> buffer, std::size_t& count, Deadline deadline);
  /// The whole body, if it has arrived completely and nothing of it has been read.
  /// Empty for HEAD, because the response describes a body that is not sent.
  std::optional<std::string> take_all();
  /// Aborts the transfer, and ends the wait for it. Thread-safe.
  void abort();
  /// Ends the transfer, and its connection unless the response is complete.
  void close();
  /// The status of the response, after the head has arrived.
  int status() const { return status_; }
  http::Fields take_fields() { return std::move(fields_); }
  const OutboundFailure& failure() const { return *failure_; }

  // For the channel:

  enum class Put { taken, full, rejected };
  enum class Take { some, later, end, failed };

  void put_head(int status, http::Fields fields);
  Put put_body(std::string_view bytes);
  Take take_body(std::span<char> buffer, std::size_t& count);
  void finish(std::optional<OutboundFailure> failure);

 private:
  bool wait(Deadline deadline, auto is_over);
  void resume();

  const OutboundRequest request_;
  const std::shared_ptr<Transport> transport_;
  std::atomic<bool> is_aborted_ = false;

  bool has_head_ = false;
  int status_ = 0;
  http::Fields fields_;
  std::string received_;          ///< bytes of the body; cleared when all have been read
  std::size_t read_ = 0;          ///< number of bytes of `received_` that were read
  std::uint64_t body_bytes_ = 0;  ///< total number of bytes of the body
  bool is_full_ = false;          ///< the channel waits for `resume` before it adds more
  std::string to_send_;           ///< of a streamed body
  std::size_t sent_ = 0;          ///< number of bytes of `to_send_` that were sent
  bool wants_bytes_ = false;      ///< the channel waits for `resume` before it sends more
  bool is_fed_ = false;           ///< the streamed body has ended
  bool is_over_ = false;
  std::optional<OutboundFailure> failure_;

  std::mutex mutex_;  ///< held while `channel_` changes, and by other threads while they use it
  std::unique_ptr<Channel> channel_;
};

struct TransportOptions {
  std::string ca_file;
  std::string certificate_file;
  std::string key_file;
};

/// Throws std::logic_error in a build without the outbound client.
std::shared_ptr<Transport> make_transport(TransportOptions options);

}  // namespace fw::outbound
