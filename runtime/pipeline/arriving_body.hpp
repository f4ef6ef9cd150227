// A streamed response whose bytes arrive from another server.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "exchange/readable_source.hpp"
#include "http/adapter.hpp"

namespace fw::detail {

/// No thread waits for its source. Unlike a stream of events, it has neither a heartbeat nor an end
/// of its own when the server stops.
class ArrivingBody final : public http::PushedBody {
 public:
  /// `ArrivingSource::try_read` of the source, in the context of the request.
  using TryRead = std::function<std::optional<std::size_t>(std::span<char>)>;

  /// `ended` is called as for `http::Transaction::respond_stream`. The functions may own the
  /// exchange.
  ArrivingBody(std::shared_ptr<ArrivingSource> source, std::optional<std::uint64_t> length,
               TryRead try_read, http::StreamEnd ended)
      : source_(std::move(source)),
        length_(length),
        try_read_(std::move(try_read)),
        ended_(std::move(ended)) {}

  std::optional<std::uint64_t> length() const noexcept override { return length_; }
  std::size_t part_size() const noexcept override { return std::size_t{64} * 1024; }
  void begin(std::weak_ptr<http::BodyWaker> waker,
             std::shared_ptr<http::BufferBudget> buffers) noexcept override {
    source_->watch(std::move(waker), std::move(buffers));
  }
  std::size_t waiting() const noexcept override { return source_->counted(); }
  void discard() noexcept override { source_->discard(); }
  std::optional<Part> take(std::span<char> buffer) noexcept override;
  /// As long as `send_timeout` and `min_data_rate` allow: the upstream waits, too.
  bool may_wait() noexcept override { return true; }
  /// `take` finds the errors of the source, when the client has accepted what came before.
  bool is_broken() const noexcept override { return false; }
  std::string_view heartbeat() const noexcept override { return {}; }
  std::chrono::milliseconds heartbeat_interval() const noexcept override {
    return std::chrono::hours(24);
  }
  void stop() noexcept override {}
  void end(bool is_complete) noexcept override;

 private:
  std::optional<Part> fail() noexcept;

  const std::shared_ptr<ArrivingSource> source_;
  const std::optional<std::uint64_t> length_;
  const TryRead try_read_;
  http::StreamEnd ended_;
  std::exception_ptr error_;
};

}  // namespace fw::detail
