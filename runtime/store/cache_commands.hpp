// The operations of the response cache on a store that processes share. Each is one round trip
// where the store has commands for it.
#pragma once

#include <fairway/store.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace fw::store {

/// Thread-safe. Each function may throw StoreError.
class CacheCommands {
 public:
  virtual ~CacheCommands() = default;

  struct Reading {
    std::shared_ptr<const void> object;  ///< of the entry; null if there is none
    /// The sum of the versions. It changes whenever one of them is replaced.
    std::uint64_t version = 0;
    std::string claim;  ///< the id of the process that has the claim; empty if there is none
  };
  /// Reads the entry of `key`, the versions with these names, and the claim.
  virtual Reading read(std::string_view key, std::span<const std::string> versions,
                       std::string_view claim, Store::Convert convert) = 0;

  struct Claimed {
    bool is_claimed = false;             ///< false: another process has the claim
    std::shared_ptr<const void> object;  ///< of the entry, read after that
  };
  /// Takes the claim unless there is one.
  virtual Claimed claim(std::string_view claim, std::string_view id, std::chrono::milliseconds ttl,
                        std::string_view key, Store::Convert convert) = 0;
  /// A claim of this process.
  struct OwnClaim {
    std::string claim;
    std::string id;
  };
  /// Ends claims, except those that have expired and belong to another process.
  virtual void release(std::span<const OwnClaim> claims) = 0;

  struct Entry {
    std::string_view key;
    std::string_view value;
    std::chrono::milliseconds ttl;
    std::string_view group;  ///< of at most `most` entries
    std::size_t most;
    std::string_view claim;       ///< that ends now; empty: none
    std::string_view id;          ///< of the claim
    bool only_if_absent = false;  ///< whether another entry of the key stays
  };
  /// Stores an entry. A store may remove others of its group, those that expire first.
  virtual void put(const Entry& entry) = 0;

  /// Replaces the version of that name.
  virtual void replace_version(std::string_view name, std::chrono::milliseconds ttl) = 0;
};

/// Implemented by stores that have such commands.
class CacheCommandsSource {
 public:
  virtual ~CacheCommandsSource() = default;
  /// Must not outlive the store.
  virtual std::unique_ptr<CacheCommands> cache_commands() = 0;
};

/// The commands of a store; made of its member functions if it has none. They must not outlive it.
std::unique_ptr<CacheCommands> cache_commands_of(Store& store);

/// A version that no other one equals.
std::string make_version();
/// Its number; 0 for a version that does not exist.
std::uint64_t number_of_version(std::string_view version);

// releasing_commands.cpp: Ends the claims of the response cache that a store which did not respond
// may have kept.

/// A claim whose command got no response may be taken later, when nobody knows of it any more, and
/// one that could not be ended stays: other requests would wait for it until it expires. These
/// commands release such claims after the next entry has been read. Only after a failure, that
/// costs one more command; if it fails twice, the claim expires.
std::unique_ptr<CacheCommands> releasing_commands(std::unique_ptr<CacheCommands> commands);

}  // namespace fw::store
