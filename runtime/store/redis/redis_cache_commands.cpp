#include "store/redis/redis_cache_commands.hpp"

#include <utility>
#include <vector>

namespace fw::store {
namespace {

using Views = std::vector<std::string_view>;

const RedisScript& claim_script() {
  static const RedisScript script(R"lua(
local claimed = redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])
return {claimed and 1 or 0, redis.call('GET', KEYS[2])}
)lua");
  return script;
}

const RedisScript& release_script() {
  static const RedisScript script(R"lua(
for i = 1, #KEYS do
  if redis.call('GET', KEYS[i]) == ARGV[i] then redis.call('DEL', KEYS[i]) end
end
return 1
)lua");
  return script;
}

// Each entry that is added removes two of the set, if they have expired or there are more than the
// bound: the work of a call is bounded, and Redis finds few dead entries when it looks for them,
// for which it stops up to 25 milliseconds at a time.
const RedisScript& put_script() {
  static const RedisScript script(R"lua(
if ARGV[5] == '0' then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
elseif not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  if KEYS[3] and redis.call('GET', KEYS[3]) == ARGV[4] then redis.call('DEL', KEYS[3]) end
  return 0
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[2], now + ARGV[2], KEYS[1])
if redis.call('PTTL', KEYS[2]) < tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[2], ARGV[2]) end
local removed
if redis.call('ZCARD', KEYS[2]) > tonumber(ARGV[3]) then
  removed = redis.call('ZRANGE', KEYS[2], 0, 1)
else
  removed = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, 2)
end
if #removed > 0 then
  redis.call('UNLINK', unpack(removed))
  redis.call('ZREM', KEYS[2], unpack(removed))
end
if KEYS[3] and redis.call('GET', KEYS[3]) == ARGV[4] then redis.call('DEL', KEYS[3]) end
return 1
)lua");
  return script;
}

std::shared_ptr<const void> to_object(RedisReply& reply, Store::Convert convert) {
  if (reply.type == RedisReply::Type::nil) return nullptr;
  if (reply.type != RedisReply::Type::string) throw StoreError("Redis: a value is not a string");
  return convert(std::make_shared<const std::string>(std::move(reply.text))).value;
}

void require_items(const RedisReply& reply, std::size_t count) {
  if (reply.type == RedisReply::Type::list && reply.items.size() == count) return;
  throw StoreError("Redis: a reply is not a list of " + std::to_string(count) + " values");
}

}  // namespace

CacheCommands::Reading RedisCacheCommands::read(std::string_view key,
                                                std::span<const std::string> versions,
                                                std::string_view claim, Store::Convert convert) {
  std::vector<std::string> keys;
  keys.reserve(versions.size() + 3);
  keys.emplace_back("MGET");
  keys.push_back(own(key));
  for (const std::string& name : versions) keys.push_back(own(name));
  if (!claim.empty()) keys.push_back(own(claim));
  RedisReply reply = client_.execute(Views(keys.begin(), keys.end()));
  require_items(reply, keys.size() - 1);
  Reading reading{.object = to_object(reply.items[0], convert), .version = 0, .claim = {}};
  for (std::size_t i = 0; i < versions.size(); ++i) {
    reading.version += number_of_version(reply.items[i + 1].text);
  }
  if (!claim.empty()) reading.claim = std::move(reply.items.back().text);
  return reading;
}

CacheCommands::Claimed RedisCacheCommands::claim(std::string_view claim, std::string_view id,
                                                 std::chrono::milliseconds ttl,
                                                 std::string_view key, Store::Convert convert) {
  const std::string claim_key = own(claim);
  const std::string entry_key = own(key);
  const std::string time = std::to_string(ttl.count());
  RedisReply reply = client_.run(claim_script(), Views{claim_key, entry_key}, Views{id, time});
  require_items(reply, 2);
  return {.is_claimed = reply.items[0].integer == 1, .object = to_object(reply.items[1], convert)};
}

void RedisCacheCommands::release(std::span<const OwnClaim> claims) {
  std::vector<std::string> keys;
  Views ids;
  for (const OwnClaim& each : claims) {
    keys.push_back(own(each.claim));
    ids.push_back(each.id);
  }
  client_.run(release_script(), Views(keys.begin(), keys.end()), ids);
}

void RedisCacheCommands::put(const Entry& entry) {
  std::vector<std::string> keys = {own(entry.key), own(entry.group)};
  if (!entry.claim.empty()) keys.push_back(own(entry.claim));
  const std::string ttl = std::to_string(entry.ttl.count());
  const std::string most = std::to_string(entry.most);
  client_.run(put_script(), Views(keys.begin(), keys.end()),
              Views{entry.value, ttl, most, entry.id, entry.only_if_absent ? "1" : "0"});
}

void RedisCacheCommands::replace_version(std::string_view name, std::chrono::milliseconds ttl) {
  const std::string key = own(name);
  client_.execute({"SET", key, make_version(), "PX", std::to_string(ttl.count())});
}

}  // namespace fw::store
