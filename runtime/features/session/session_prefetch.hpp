// Reads the session of a request before the request is handled, so that no thread waits for the
// store: a change of threads costs more than the rest of a small request.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "exchange/environment.hpp"
#include "exchange/route.hpp"
#include "http/adapter.hpp"
#include "store/async_reader.hpp"

namespace fw::detail {

/// The read of a session, pending or complete.
class SessionPrefetch final : public store::AsyncReader::Receiver {
 public:
  using Clock = std::chrono::steady_clock;

  SessionPrefetch(std::string id, std::string key, std::shared_ptr<http::WaitingRequest> request);

  void receive(store::AsyncReader::Result result) noexcept override;

  /// When reading began. Counts as the beginning of the request.
  Clock::time_point begin() const { return begin_; }
  const std::string& key() const { return key_; }

  /// Whether the record can be used for a session that is loaded now: it has this `id`, and was
  /// read a short time ago. After a long time, the session might have been destroyed.
  bool serves(std::string_view id) const;
  /// The record; nothing if the session does not exist. Throws StoreError if it could not be read.
  /// Must be called at most once, while `serves`.
  std::optional<std::string> take_record();

 private:
  const std::string id_;
  const std::string key_;
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point end_;
  std::shared_ptr<http::WaitingRequest> request_;  ///< null after the end
  store::AsyncReader::Result result_;
};

/// Decides for a route whether sessions are prefetched: while most recent requests with a session
/// cookie load their session. A request that does not, for example because its client has exceeded
/// a rate limit, therefore seldom uses the store. Thread-safe.
class SessionPrefetcher {
 public:
  /// Null for a route without sessions, with a store that does not need it, or with a timeout,
  /// which limits the time for the store as well.
  static std::shared_ptr<SessionPrefetcher> create(const Environment& env, const Route& route);

  /// `renewed_ttl` is the time to live of rolling sessions.
  SessionPrefetcher(store::AsyncReader& store, std::string cookie,
                    std::optional<std::chrono::milliseconds> renewed_ttl)
      : store_(store), cookie_(std::move(cookie)), renewed_ttl_(renewed_ttl) {}

  /// Begins to read the session of a request, which is resumed at the end. Null if it does not.
  std::shared_ptr<SessionPrefetch> begin(const http::RequestHead& head,
                                         const std::shared_ptr<http::WaitingRequest>& request);
  /// Notes whether a request, which may have been prefetched, has loaded its session.
  void note(bool was_prefetched, bool was_loaded);

 private:
  store::AsyncReader& store_;
  const std::string cookie_;
  const std::optional<std::chrono::milliseconds> renewed_ttl_;
  std::atomic<int> score_{0};
};

}  // namespace fw::detail
