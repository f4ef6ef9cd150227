// The Redis store. Values are strings, the events of a window are a list of "<time>:<count>" in
// milliseconds (see slot_of), and a tag is a sorted set of its keys by the time when they expire.
#include <fairway/store.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/async_reader.hpp"
#include "store/redis/redis_cache_commands.hpp"
#include "store/redis/redis_client.hpp"
#include "store/window_slots.hpp"

namespace fw {
namespace {

using std::chrono::milliseconds;
using store::RedisReply;
using store::RedisScript;
using Views = std::vector<std::string_view>;

const RedisScript& set_if_equal_script() {
  static const RedisScript script(R"lua(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
)lua");
  return script;
}

// As one command: GETEX needs Redis 6.2.
const RedisScript& get_and_renew_script() {
  static const RedisScript script(R"lua(
local value = redis.call('GET', KEYS[1])
if value then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return value
)lua");
  return script;
}

// Uses the clock of the server, so that all processes count equally.
const RedisScript& increment_script() {
  static const RedisScript script(R"lua(
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local window, most, slot = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local total, gone = 0, 0
local oldest, last, size
for _, group in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do
  local time, count = string.match(group, '(%d+):(%d+)')
  time, count = tonumber(time), tonumber(count)
  if not oldest and time <= now - window then
    gone = gone + 1
  else
    oldest = oldest or time
    last, size = time, count
    total = total + count
  end
end
if gone > 0 then redis.call('LTRIM', KEYS[1], gone, -1) end
if total >= most then return {0, total, (oldest or now) + window - now} end
if last and math.floor(last / slot) == math.floor(now / slot) then
  if oldest == last then oldest = now end
  redis.call('LSET', KEYS[1], -1, string.format('%.0f:%d', now, size + 1))
else
  redis.call('RPUSH', KEYS[1], string.format('%.0f:1', now))
end
redis.call('PEXPIRE', KEYS[1], window)
return {1, total + 1, (oldest or now) + window - now}
)lua");
  return script;
}

// The set of a tag lives as long as the longest of its values. Each call looks at two that should
// have expired, so that a set keeps few of them.
const RedisScript& tag_script() {
  static const RedisScript script(R"lua(
local ttl = redis.call('PTTL', KEYS[1])
if ttl < 0 then return 0 end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for i = 2, #KEYS do
  redis.call('ZADD', KEYS[i], now + ttl, KEYS[1])
  if redis.call('PTTL', KEYS[i]) < ttl then redis.call('PEXPIRE', KEYS[i], ttl) end
  for _, key in ipairs(redis.call('ZRANGEBYSCORE', KEYS[i], '-inf', now, 'LIMIT', 0, 2)) do
    local left = redis.call('PTTL', key)
    if left < 0 then
      redis.call('ZREM', KEYS[i], key)
    else
      redis.call('ZADD', KEYS[i], now + left, key)
    end
  end
end
return 1
)lua");
  return script;
}

/// Values that `erase_tagged_script` erases at a time: Redis does nothing else meanwhile.
constexpr std::string_view kErasedAtOnce = "500";

const RedisScript& erase_tagged_script() {
  static const RedisScript script(R"lua(
local keys = redis.call('ZRANGE', KEYS[1], 0, ARGV[1] - 1)
if #keys == 0 then return {0, 0} end
redis.call('ZREM', KEYS[1], unpack(keys))
return {redis.call('UNLINK', unpack(keys)), redis.call('EXISTS', KEYS[1])}
)lua");
  return script;
}

std::int64_t integer_of(const RedisReply& reply) {
  if (reply.type != RedisReply::Type::integer) throw StoreError("Redis: a reply is not a number");
  return reply.integer;
}

/// As `get` returns it.
std::optional<std::string> to_value(RedisReply reply) {
  if (reply.type == RedisReply::Type::nil) return std::nullopt;
  if (reply.type != RedisReply::Type::string) throw StoreError("Redis: a value is not a string");
  return std::move(reply.text);
}

class GetCompletion : public store::RedisCompletion {
 public:
  explicit GetCompletion(std::shared_ptr<store::AsyncReader::Receiver> receiver)
      : receiver_(std::move(receiver)) {}

  void complete(std::optional<RedisReply> reply, std::string_view failure) noexcept override {
    receiver_->receive(to_result(std::move(reply), failure));
  }

 private:
  static store::AsyncReader::Result to_result(std::optional<RedisReply> reply,
                                              std::string_view failure) noexcept {
    store::AsyncReader::Result result;
    try {
      try {
        if (!reply) throw StoreError(std::string(failure));
        store::require_no_error(*reply);
        result.value = to_value(std::move(*reply));
      } catch (const StoreError& error) {
        result.error = error.what();
      }
    } catch (const std::exception&) {
      result.error = "out of memory";  // short enough to need none
    }
    return result;
  }

  std::shared_ptr<store::AsyncReader::Receiver> receiver_;
};

class RedisStore : public Store, public store::AsyncReader, public store::CacheCommandsSource {
 public:
  explicit RedisStore(RedisStoreOptions options)
      : prefix_(options.key_prefix), client_(std::move(options)) {}

  std::optional<std::string> get(std::string_view key) override {
    return to_value(client_.execute({"GET", own(key)}));
  }

  std::unique_ptr<store::CacheCommands> cache_commands() override {
    return std::make_unique<store::RedisCacheCommands>(client_, prefix_);
  }

  bool begin_get(std::string_view key, std::shared_ptr<Receiver> receiver) override {
    return client_.begin({"GET", own(key)}, std::make_unique<GetCompletion>(std::move(receiver)));
  }

  std::optional<std::string> get_and_renew(std::string_view key, milliseconds ttl) override {
    require_positive(ttl);
    const std::string time = std::to_string(ttl.count());
    return to_value(client_.run(get_and_renew_script(), Views{own(key)}, Views{time}));
  }

  bool begin_get_and_renew(std::string_view key, milliseconds ttl,
                           std::shared_ptr<Receiver> receiver) override {
    require_positive(ttl);
    // Not EVALSHA, because nothing waits that could send the script if the server does not know it.
    return client_.begin(
        {"EVAL", get_and_renew_script().source, "1", own(key), std::to_string(ttl.count())},
        std::make_unique<GetCompletion>(std::move(receiver)));
  }

  void set(std::string_view key, std::string_view value, milliseconds ttl) override {
    require_positive(ttl);
    client_.execute({"SET", own(key), value, "PX", std::to_string(ttl.count())});
  }

  bool set_if_absent(std::string_view key, std::string_view value, milliseconds ttl) override {
    require_positive(ttl);
    const RedisReply reply =
        client_.execute({"SET", own(key), value, "PX", std::to_string(ttl.count()), "NX"});
    return reply.type != RedisReply::Type::nil;
  }

  bool set_if_equal(std::string_view key, std::string_view expected, std::string_view value,
                    milliseconds ttl) override {
    require_positive(ttl);
    const std::string time = std::to_string(ttl.count());
    return integer_of(client_.run(set_if_equal_script(), Views{own(key)},
                                  Views{expected, value, time})) == 1;
  }

  bool erase(std::string_view key) override {
    return integer_of(client_.execute({"DEL", own(key)})) == 1;
  }

  Window increment(std::string_view key, milliseconds window, std::int64_t most) override {
    require_positive(window);
    const std::string time = std::to_string(window.count());
    const std::string limit = std::to_string(most);
    const std::string slot =
        std::to_string(std::chrono::ceil<milliseconds>(store::slot_of(window, most)).count());
    const RedisReply reply =
        client_.run(increment_script(), Views{own(key)}, Views{time, limit, slot});
    if (reply.type != RedisReply::Type::list || reply.items.size() != 3) {
      throw StoreError("Redis: a reply is not a list of three numbers");
    }
    return {.counted = integer_of(reply.items[0]) == 1,
            .count = integer_of(reply.items[1]),
            .reset = milliseconds(integer_of(reply.items[2]))};
  }

  void tag(std::string_view key, std::span<const std::string> tags) override {
    std::vector<std::string> names = {own(key)};
    for (const std::string& tag : tags) names.push_back(name_of(tag));
    client_.run(tag_script(), Views(names.begin(), names.end()), {});
  }

  std::size_t erase_tagged(std::string_view tag) override {
    const std::string name = name_of(tag);
    std::int64_t erased = 0;
    bool has_more = true;
    while (has_more) {
      const RedisReply reply =
          client_.run(erase_tagged_script(), Views{name}, Views{kErasedAtOnce});
      if (reply.type != RedisReply::Type::list || reply.items.size() != 2) {
        throw StoreError("Redis: a reply is not a list of two numbers");
      }
      erased += integer_of(reply.items[0]);
      has_more = integer_of(reply.items[1]) == 1;
    }
    return static_cast<std::size_t>(erased);
  }

 private:
  std::string name_of(std::string_view tag) const { return own("tagged:" + std::string(tag)); }
  std::string own(std::string_view key) const { return prefix_ + std::string(key); }

  std::string prefix_;
  store::RedisClient client_;
};

}  // namespace

std::shared_ptr<Store> redis_store(RedisStoreOptions options) {
  return std::make_shared<RedisStore>(std::move(options));
}

}  // namespace fw
