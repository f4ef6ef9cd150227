// The commands of the response cache in Redis.
#pragma once

#include <string>

#include "store/cache_commands.hpp"
#include "store/redis/redis_client.hpp"

namespace fw::store {

/// Reading is one MGET; a miss is that, a claim and a script. The entries of a group are listed in
/// a sorted set by their expiry, which is bounded.
class RedisCacheCommands : public CacheCommands {
 public:
  /// `client` must outlive the object.
  RedisCacheCommands(RedisClient& client, std::string prefix)
      : client_(client), prefix_(std::move(prefix)) {}

  Reading read(std::string_view key, std::span<const std::string> versions, std::string_view claim,
               Store::Convert convert) override;
  Claimed claim(std::string_view claim, std::string_view id, std::chrono::milliseconds ttl,
                std::string_view key, Store::Convert convert) override;
  void release(std::span<const OwnClaim> claims) override;
  void put(const Entry& entry) override;
  void replace_version(std::string_view name, std::chrono::milliseconds ttl) override;

 private:
  std::string own(std::string_view key) const { return prefix_ + std::string(key); }

  RedisClient& client_;
  const std::string prefix_;
};

}  // namespace fw::store
