#include "features/session/session_prefetch.hpp"

#include <fairway/store.hpp>

#include <algorithm>
#include <utility>

#include "features/session/session_id.hpp"
#include "features/session/session_policy.hpp"
#include "http/cookies.hpp"

namespace fw::detail {
namespace {

/// How long a result is used.
constexpr std::chrono::milliseconds kFresh{100};

// A session that was loaded adds 1 to the score of its route, and one that was read and not
// used subtracts `kWaste`.
constexpr int kLikely = 4;
constexpr int kMaxScore = 8;
constexpr int kWaste = 4;

}  // namespace

SessionPrefetch::SessionPrefetch(std::string id, std::string key,
                                 std::shared_ptr<http::WaitingRequest> request)
    : id_(std::move(id)), key_(std::move(key)), request_(std::move(request)) {}

void SessionPrefetch::receive(store::AsyncReader::Result result) noexcept {
  result_ = std::move(result);
  end_ = Clock::now();
  // The request owns this object, and may end on another thread as soon as it is resumed.
  const auto request = std::move(request_);
  request->resume();
}

bool SessionPrefetch::serves(std::string_view id) const {
  // An error took as long as the store may take, and another attempt would take as long again.
  return id == id_ && (!result_.error.empty() || Clock::now() - end_ < kFresh);
}

std::optional<std::string> SessionPrefetch::take_record() {
  if (!result_.error.empty()) throw StoreError(result_.error);
  return std::move(result_.value);
}

std::shared_ptr<SessionPrefetcher> SessionPrefetcher::create(const Environment& env,
                                                             const Route& route) {
  const auto policy = session_policy(env, route);
  if (!policy || route.time_limit()) return nullptr;
  auto* store = dynamic_cast<store::AsyncReader*>(&policy->store);
  if (store == nullptr) return nullptr;
  return std::make_shared<SessionPrefetcher>(
      *store, policy->config.name, policy->rolling ? std::optional(policy->ttl()) : std::nullopt);
}

std::shared_ptr<SessionPrefetch> SessionPrefetcher::begin(
    const http::RequestHead& head, const std::shared_ptr<http::WaitingRequest>& request) {
  if (score_.load(std::memory_order_relaxed) < kLikely) return nullptr;
  const std::size_t index = head.fields.index_of("cookie");
  const std::size_t size = head.fields.size();
  if (index == size || head.fields.index_of("cookie", index + 1) != size) return nullptr;
  auto id = http::find_cookie(head.fields[index].value, cookie_);
  if (!id) return nullptr;
  auto key = session_key_of_cookie(*id);
  if (!key) return nullptr;
  auto prefetch = std::make_shared<SessionPrefetch>(std::move(*id), std::move(*key), request);
  const bool has_begun = renewed_ttl_
                             ? store_.begin_get_and_renew(prefetch->key(), *renewed_ttl_, prefetch)
                             : store_.begin_get(prefetch->key(), prefetch);
  return has_begun ? prefetch : nullptr;
}

void SessionPrefetcher::note(bool was_prefetched, bool was_loaded) {
  const int score = score_.load(std::memory_order_relaxed);
  int changed = score;
  if (was_loaded) {
    changed = std::min(score + 1, kMaxScore);
  } else if (was_prefetched) {
    changed = std::max(score - kWaste, 0);
  }
  // Updates of other threads may be lost: an estimate is enough. A write would move the cache line.
  if (changed != score) score_.store(changed, std::memory_order_relaxed);
}

}  // namespace fw::detail
