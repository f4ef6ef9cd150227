// The address and the credentials of a Redis server.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace fw::base {

struct RedisUrl {
  std::string host;  ///< empty for a unix socket
  std::uint16_t port = 6379;
  std::string unix_socket;  ///< a path
  std::string user;
  std::string password;
  int database = 0;
  bool uses_tls = false;
};

/// A text that is not such a URL; the message does not contain the password.
class RedisUrlError : public std::invalid_argument {
 public:
  using invalid_argument::invalid_argument;
};

/// `redis://[[user]:password@]host[:port][/database]`, `rediss://…` for TLS, and
/// `unix://[[user]:password@]/path[?db=database]`. User and password are percent-decoded. Throws
/// RedisUrlError.
RedisUrl parse_redis_url(std::string_view text);

}  // namespace fw::base
