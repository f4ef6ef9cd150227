#include <algorithm>
#include <atomic>
#include <cstddef>
#include <iterator>
#include <mutex>
#include <utility>
#include <vector>

#include "store/cache_commands.hpp"

namespace fw::store {
namespace {

using std::chrono::milliseconds;

/// More expire. No more are unknown at a time than there are threads.
constexpr std::size_t kMaxPending = 1'000;
/// Released by one request.
constexpr std::size_t kMaxAtOnce = 100;

class ReleasingCommands : public CacheCommands {
 public:
  explicit ReleasingCommands(std::unique_ptr<CacheCommands> commands)
      : commands_(std::move(commands)) {}

  Reading read(std::string_view key, std::span<const std::string> versions, std::string_view claim,
               Store::Convert convert) override {
    Reading reading = commands_->read(key, versions, claim, convert);
    if (has_pending_.load(std::memory_order_relaxed)) release_pending();
    return reading;
  }

  Claimed claim(std::string_view claim, std::string_view id, milliseconds ttl, std::string_view key,
                Store::Convert convert) override {
    try {
      return commands_->claim(claim, id, ttl, key, convert);
    } catch (const StoreError&) {
      keep({{.claim = {.claim = std::string(claim), .id = std::string(id)}}});
      throw;
    }
  }

  void release(std::span<const OwnClaim> claims) override {
    try {
      commands_->release(claims);
    } catch (const StoreError&) {
      std::vector<Pending> pending;
      for (const OwnClaim& claim : claims) pending.push_back({.claim = claim});
      keep(std::move(pending));
      throw;
    }
  }

  void put(const Entry& entry) override {
    try {
      commands_->put(entry);
    } catch (const StoreError&) {
      if (!entry.claim.empty()) {
        keep({{.claim = {.claim = std::string(entry.claim), .id = std::string(entry.id)}}});
      }
      throw;
    }
  }

  void replace_version(std::string_view name, milliseconds ttl) override {
    commands_->replace_version(name, ttl);
  }

 private:
  struct Pending {
    OwnClaim claim;
    bool was_tried = false;
  };

  void keep(std::vector<Pending> claims) {
    const std::lock_guard lock(mutex_);
    const auto room = kMaxPending - std::min(kMaxPending, pending_.size());
    claims.resize(std::min(room, claims.size()));
    std::ranges::move(claims, std::back_inserter(pending_));
    has_pending_ = !pending_.empty();
  }

  std::vector<Pending> take() {
    const std::lock_guard lock(mutex_);
    const auto begin =
        pending_.end() - static_cast<std::ptrdiff_t>(std::min(kMaxAtOnce, pending_.size()));
    std::vector<Pending> taken(std::make_move_iterator(begin),
                               std::make_move_iterator(pending_.end()));
    pending_.erase(begin, pending_.end());
    has_pending_ = !pending_.empty();
    return taken;
  }

  void release_pending() {
    std::vector<Pending> taken = take();
    if (taken.empty()) return;
    std::vector<OwnClaim> claims;
    for (const Pending& each : taken) claims.push_back(each.claim);
    try {
      commands_->release(claims);
    } catch (const StoreError&) {
      std::erase_if(taken, [](const Pending& each) { return each.was_tried; });
      for (Pending& each : taken) each.was_tried = true;
      keep(std::move(taken));
    }
  }

  const std::unique_ptr<CacheCommands> commands_;
  std::mutex mutex_;  // guards the following members, of which the last is also read without it
  std::vector<Pending> pending_;
  std::atomic<bool> has_pending_ = false;
};

}  // namespace

std::unique_ptr<CacheCommands> releasing_commands(std::unique_ptr<CacheCommands> commands) {
  return std::make_unique<ReleasingCommands>(std::move(commands));
}

}  // namespace fw::store
