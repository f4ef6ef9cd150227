// The state of a FetchResponse, whose body may still be arriving.
#pragma once

#include <fairway/fetch.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "client/call_signal.hpp"
#include "client/transfer.hpp"

namespace fw::detail {

/// The description of a call in errors and log lines.
struct CallName {
  std::string_view caller;  ///< "app.fetch"
  std::string method;
  std::string url;
  std::int64_t timeout = 0;  ///< milliseconds
  int attempt = 0;

  std::string text() const;  ///< "[app.fetch] GET https://…"
  [[noreturn]] void throw_timeout() const;
  [[noreturn]] void throw_abort(const CallSignal& signal) const;
  [[noreturn]] void throw_failure(const outbound::OutboundFailure& failure) const;
};

class FetchExchange {
 public:
  /// `signal` is of the call, and outlives this.
  FetchExchange(CallName name, std::shared_ptr<CallSignal> signal,
                std::shared_ptr<outbound::Transfer> transfer, std::optional<Readable> source,
                outbound::Deadline deadline);
  ~FetchExchange();
  FetchExchange(const FetchExchange&) = delete;
  FetchExchange& operator=(const FetchExchange&) = delete;

  /// Sends the request, and waits until the head of the response has arrived.
  void begin();
  /// Sends what is left of a streamed body, unless the upstream does not want it, or its response
  /// has to be read first.
  void send_body();

  int status() const { return transfer_->status(); }
  const FetchHeaders& headers() const { return headers_; }
  const std::string& url() const { return transfer_->request().url.text; }
  int attempt() const { return name_.attempt; }

  std::size_t read(std::span<char> buffer);
  const std::string& text();
  Json json();
  /// The body for a response that passes it on. It is a string if it has arrived completely.
  static Readable pass_body(std::unique_ptr<FetchExchange> exchange);
  void discard();
  /// Limits the bytes that `text` collects.
  void limit_text(std::uint64_t most) { most_text_ = most; }
  /// Removes the deadline.
  void lift_deadline() { deadline_.reset(); }

 private:
  void feed();
  [[noreturn]] void fail(outbound::Transfer::Outcome outcome) const;

  const CallName name_;
  const std::shared_ptr<CallSignal> signal_;
  const std::shared_ptr<outbound::Transfer> transfer_;
  std::optional<Readable> source_;
  std::uint64_t fed_ = 0;  ///< number of bytes of the source that were sent
  bool has_sent_body_ = false;
  outbound::Deadline deadline_;
  FetchHeaders headers_;
  std::uint64_t most_text_ = ~std::uint64_t{};
  std::optional<std::string> text_;
};

}  // namespace fw::detail
