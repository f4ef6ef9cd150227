// The response cache over a store: entries, and their invalidation by versions.
#pragma once

#include <fairway/response_cache.hpp>
#include <fairway/store.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/throttle.hpp"
#include "features/cache/shared_runs.hpp"
#include "features/cache/stored_key.hpp"
#include "features/cache/stored_response.hpp"
#include "store/cache_commands.hpp"

namespace fw::detail {

/// Everything that can be invalidated has a version, and an entry has the sum of the versions that
/// it depends on, read before its handler ran. It is valid as long as that sum has not changed, so
/// an invalidation only replaces a version. In a store that processes share, versions are values of
/// the store; otherwise they are counters here, of which there are also for such a store: they
/// count what this process has invalidated. Thread-safe after `open`.
class StoredResponses : public ResponseCache {
 public:
  /// Entries of processes that share a store do not live longer. Versions do, so that none is
  /// forgotten while an entry may have it.
  static constexpr std::chrono::hours kMaxLife{24 * 30};
  /// Other processes do not wait longer for one of them.
  static constexpr std::chrono::seconds kMaxClaim{10};

  /// The tags of the entries of a route.
  class Tags {
   private:
    friend class StoredResponses;
    std::vector<const std::atomic<std::uint64_t>*> counters_;
    std::vector<std::string> names_;  ///< of versions in the store
  };

  /// The result of a lookup.
  struct Found {
    std::shared_ptr<const StoredResponse> response;  ///< null if there is none that is valid
    std::uint64_t version = 0;                       ///< of its tags now
    std::uint64_t own_version = 0;                   ///< what this process has added to it
    bool is_outdated = false;                        ///< there is one that is not valid
  };

  /// The right to run the handler for all processes that share the store. Ends when it is
  /// destroyed, with `put`, or after `kMaxClaim`.
  class CrossProcessClaim {
   public:
    CrossProcessClaim(StoredResponses& owner, std::string key, std::string id)
        : owner_(owner), key_(std::move(key)), id_(std::move(id)) {}
    ~CrossProcessClaim();
    CrossProcessClaim(const CrossProcessClaim&) = delete;
    CrossProcessClaim& operator=(const CrossProcessClaim&) = delete;

   private:
    friend class StoredResponses;
    StoredResponses& owner_;
    std::string key_;  ///< empty after the end
    const std::string id_;
  };

  using SteadyClock = std::function<std::chrono::steady_clock::time_point()>;

  /// `most_entries` bounds the entries of a route in a store that processes share. `clock` is null
  /// except in tests, where it may be ahead of time.
  void open(std::shared_ptr<Store> store, std::size_t most_entries, SteadyClock clock);

  /// The time by which entries are fresh, stale or expired.
  StoredResponse::Clock::time_point now() const {
    const auto now = StoredResponse::Clock::now();
    if (!clock_) return now;
    return now + std::chrono::duration_cast<std::chrono::milliseconds>(
                     clock_() - std::chrono::steady_clock::now());
  }

  /// To be called before requests are handled.
  Tags tags(std::span<const std::string> tags);

  /// Whether other processes see the entries.
  bool is_shared() const { return commands_ != nullptr; }

  /// Finds the entry of a key, which may be stale at `now`. With `claim`, reads the id of the
  /// process that has the claim; empty if there is none. Throws StoreError.
  Found find(const StoredKey& key, const Tags& tags, StoredResponse::Clock::time_point now,
             std::string* claim = nullptr);
  /// Counts the invalidations that this process has made.
  std::uint64_t own_version(const StoredKey& key, const Tags& tags) const;
  /// False if there has been an invalidation since the look-up. May still be true if another
  /// process has made it: the entry is then found to be invalid when it is read.
  bool may_be_current(const StoredKey& key, const Tags& tags, const Found& found) const {
    return own_version(key, tags) == found.own_version;
  }
  /// Stores an entry in the group of a route, unless there is one and `only_if_absent`, and ends
  /// the claim, which may be null. Throws StoreError.
  void put(const StoredKey& key, const StoredResponse& response, std::string_view group,
           CrossProcessClaim* claim, bool only_if_absent = false);
  /// Replaces an entry that is still stored. Throws StoreError.
  void replace(const StoredKey& key, const StoredResponse& stored, const StoredResponse& by);

  /// Takes the claim of a key. If another process has it, or has just stored an entry, `claim` is
  /// null, and the result may be the entry. For a store that processes share. Throws StoreError.
  std::shared_ptr<const StoredResponse> claim(const StoredKey& key, std::uint64_t version,
                                              std::unique_ptr<CrossProcessClaim>& claim);

  const std::shared_ptr<SharedRuns>& runs() const { return runs_; }

  void count_hit() { ++hits_; }
  void count_miss() { ++misses_; }
  void count_error() { ++errors_; }
  /// Returns true at most once a second.
  bool may_log_error() { return logged_errors_.pass(); }

  void invalidate(std::string_view tag) override;
  void erase(std::string_view key) override;
  void clear() override;
  CacheStats stats() const override;

 private:
  Store& store() const;
  /// The key in the store.
  std::string store_key(const StoredKey& key) const;
  std::string claim_key(const StoredKey& key) const;
  /// The stored form of an entry. Large entries in a store on another machine are compressed.
  std::string pack(const StoredResponse& response) const;
  void invalidate_version(const std::string& name, std::atomic<std::uint64_t>* counter);

  std::shared_ptr<Store> store_;
  std::unique_ptr<store::CacheCommands> commands_;  ///< null for a store of this process
  std::size_t most_entries_ = 0;
  SteadyClock clock_;
  std::atomic<std::uint64_t> everything_ = 0;
  std::map<std::string, std::atomic<std::uint64_t>, std::less<>> tag_counters_;
  std::vector<std::atomic<std::uint64_t>> erase_counters_ =
      std::vector<std::atomic<std::uint64_t>>(kEraseGroups);
  std::atomic<bool> has_erased_ = false;
  const std::shared_ptr<SharedRuns> runs_ = std::make_shared<SharedRuns>();
  std::atomic<std::uint64_t> hits_ = 0;
  std::atomic<std::uint64_t> misses_ = 0;
  std::atomic<std::uint64_t> writes_ = 0;
  std::atomic<std::uint64_t> errors_ = 0;
  base::Throttle logged_errors_{std::chrono::seconds(1)};
};

}  // namespace fw::detail
