// The address and the credentials of a Redis server.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fw::store {

struct RedisUrl {
  std::string host;  ///< empty for a unix socket
  std::uint16_t port = 6379;
  std::string unix_socket;  ///< a path
  std::string user;
  std::string password;
  int database = 0;
  bool uses_tls = false;
};

/// `redis://[[user]:password@]host[:port][/database]`, `rediss://…` for TLS, and
/// `unix://[[user]:password@]/path[?db=database]`. User and password are percent-decoded. Throws
/// std::invalid_argument, whose message does not contain the password.
RedisUrl parse_redis_url(std::string_view text);

}  // namespace fw::store
