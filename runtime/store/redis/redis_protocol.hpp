// The Redis protocol: what a client sends, and the replies that hiredis reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/redis_url.hpp"

struct redisReader;

namespace fw::store {

struct RedisReply {
  enum class Type { nil, integer, string, error, list };
  Type type = Type::nil;
  std::int64_t integer = 0;
  std::string text = {};  ///< the text of a string, a status or an error
  std::vector<RedisReply> items = {};
};

/// Throws StoreError if the reply is an error.
void require_no_error(const RedisReply& reply);

/// Appends a command in the Redis protocol.
void append_command(std::string& out, std::span<const std::string_view> arguments);
inline void append_command(std::string& out, std::initializer_list<std::string_view> arguments) {
  append_command(out, std::span(arguments.begin(), arguments.size()));
}

/// What a connection begins with: the credentials and the database of the URL, and a PING, because
/// a paused server accepts connections, but does not reply. Each command in a string of its own.
std::vector<std::string> opening_commands(const base::RedisUrl& url);

/// Splits what arrives on a connection into replies. Not thread-safe.
class RedisReplyReader {
 public:
  /// Throws std::bad_alloc.
  RedisReplyReader();

  /// Appends the replies that are complete. Throws StoreError for malformed bytes, and what there
  /// is no memory for.
  void read(std::string_view received, std::vector<RedisReply>& replies);
  /// The number of bytes of a reply that is not complete.
  std::size_t buffered() const;

 private:
  struct Free {
    void operator()(redisReader* reader) const;
  };

  std::unique_ptr<redisReader, Free> reader_;
};

}  // namespace fw::store
