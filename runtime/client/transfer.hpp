// One request and its response on their way: what the calling thread and the thread that does the
// input and output have in common.
#pragma once

#include <chrono>
#include <condition_variable>
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

/// Does the input and output of transfers. Thread-safe; never waits for a peer.
class Transport {
 public:
  virtual ~Transport() = default;
  virtual void start(std::shared_ptr<Transfer> transfer) = 0;
  /// There is room again, or there are bytes to be sent.
  virtual void resume(std::shared_ptr<Transfer> transfer) = 0;
  virtual void cancel(std::shared_ptr<Transfer> transfer) = 0;
  /// Fails what is under way and takes nothing more.
  virtual void stop() = 0;
};

struct OutboundRequest {
  std::string method;
  Url url;
  http::Fields fields;
  std::shared_ptr<const std::string> body;    ///< null: none, or one that is streamed
  bool streams_body = false;                  ///< see `Transfer::feed`
  std::optional<std::uint64_t> body_size;     ///< of one that is streamed, where it is known
  std::uint64_t max_size = ~std::uint64_t{};  ///< bytes of the decoded response
};

struct OutboundFailure {
  enum class Kind { network, tls, too_large };
  Kind kind = Kind::network;
  std::string message;
};

class Transfer : public std::enable_shared_from_this<Transfer> {
 public:
  using Clock = std::chrono::steady_clock;
  using Deadline = std::optional<Clock::time_point>;

  Transfer(OutboundRequest request, std::weak_ptr<Transport> transport);
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  const OutboundRequest& request() const { return request_; }

  // The caller's side.

  enum class Outcome {
    ready,      ///< the head is there, or bytes are
    feed,       ///< bytes of a streamed body can be sent
    end,        ///< the body is complete
    failed,     ///< see `failure`
    timed_out,  ///< the deadline has passed
    aborted,
  };

  void start();
  /// Until the head of the response is there, or there is another outcome.
  Outcome wait_for_head(Deadline deadline);
  /// Sends bytes of a streamed body; none end it.
  void feed(std::string_view bytes);
  /// Takes bytes of the response, at least one for `ready`.
  Outcome read(std::span<char> buffer, std::size_t& count, Deadline deadline);
  /// Ends the transfer, and every wait for it. From any thread.
  void abort();
  /// Of the response, once there is a head.
  int status() const { return status_; }
  http::Fields take_fields() { return std::move(fields_); }
  const OutboundFailure& failure() const { return *failure_; }

  // The transport's side.

  enum class Put { taken, full, refused };
  enum class Take { some, later, end, failed };

  void put_head(int status, http::Fields fields);
  Put put_body(std::string_view bytes);
  Take take_body(std::span<char> buffer, std::size_t& count);
  void finish(std::optional<OutboundFailure> failure);
  bool is_aborted() const;

 private:
  bool wait(std::unique_lock<std::mutex>& lock, Deadline deadline, auto is_over);
  void resume();

  const OutboundRequest request_;
  const std::weak_ptr<Transport> transport_;

  mutable std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  bool has_head_ = false;
  int status_ = 0;
  http::Fields fields_;
  std::string received_;          ///< of the body, not read yet
  std::size_t read_ = 0;          ///< bytes of `received_` that have been read
  std::uint64_t body_bytes_ = 0;  ///< of the body, in all
  bool is_full_ = false;          ///< the transport waits for `resume` before it puts more
  std::string to_send_;           ///< of a streamed body
  std::size_t sent_ = 0;          ///< bytes of `to_send_` that have been taken
  bool wants_bytes_ = false;      ///< the transport waits for `resume` before it takes more
  bool is_fed_ = false;           ///< the streamed body has ended
  bool is_over_ = false;
  bool is_aborted_ = false;
  std::optional<OutboundFailure> failure_;
};

struct TransportOptions {
  std::string ca_file;
  std::string certificate_file;
  std::string key_file;
};

/// Throws std::logic_error in a build without the outbound client.
std::shared_ptr<Transport> make_transport(TransportOptions options);

}  // namespace fw::outbound
