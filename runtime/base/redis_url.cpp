#include "base/redis_url.hpp"

#include "base/parse_number.hpp"
#include "base/url_encoding.hpp"

namespace fw::base {
namespace {

[[noreturn]] void reject(const std::string& reason) {
  throw RedisUrlError("the URL of the Redis server " + reason +
                      ": write \"redis://user:password@host:6379/0\", \"rediss://…\" for TLS, or "
                      "\"unix:///run/redis.sock?db=0\"");
}

template <class Number>
Number required_number(std::string_view text, const std::string& reason) {
  const auto number = parse_number<Number>(text);
  if (!number || *number < 0) reject(reason);
  return *number;
}

std::string decode(std::string_view text) {
  const auto decoded = decode_path(text);
  if (!decoded) reject("has a malformed percent sequence");
  return *decoded;
}

/// Removes "user:password@" from the start of `rest`.
void take_credentials(std::string_view& rest, RedisUrl& url) {
  const auto at = rest.substr(0, rest.find_first_of("/?#")).rfind('@');
  if (at == std::string_view::npos) return;
  const std::string_view credentials = rest.substr(0, at);
  rest.remove_prefix(at + 1);
  const auto colon = credentials.find(':');
  if (colon == std::string_view::npos) reject("has a user without a password");
  url.user = decode(credentials.substr(0, colon));
  url.password = decode(credentials.substr(colon + 1));
}

void read_unix_socket(std::string_view rest, RedisUrl& url) {
  const auto query = rest.find('?');
  url.unix_socket = decode(rest.substr(0, query));
  if (!url.unix_socket.starts_with('/')) reject("has no absolute path to a socket");
  if (query == std::string_view::npos) return;
  rest.remove_prefix(query + 1);
  if (!rest.starts_with("db=")) reject("has a query that is not \"db=\" and a number");
  url.database = required_number<int>(rest.substr(3), "has a database that is not a number");
}

void read_authority(std::string_view rest, RedisUrl& url) {
  const auto slash = rest.find('/');
  std::string_view authority = rest.substr(0, slash);
  const std::string_view database =
      slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
  if (!database.empty()) {
    url.database = required_number<int>(database, "has a database that is not a number");
  }
  const bool is_ipv6 = authority.starts_with('[');
  const auto end = is_ipv6 ? authority.find(']') : authority.find(':');
  if (is_ipv6 && end == std::string_view::npos) reject("has an IPv6 address without an end");
  url.host = authority.substr(is_ipv6 ? 1 : 0, is_ipv6 ? end - 1 : end);
  if (url.host.empty()) reject("has no host");
  authority.remove_prefix(end == std::string_view::npos ? authority.size() : end);
  if (is_ipv6) authority.remove_prefix(1);
  if (authority.empty()) return;
  const std::string reason = "has a port that is not a number from 1 to 65535";
  if (!authority.starts_with(':')) reject(reason);
  url.port = required_number<std::uint16_t>(authority.substr(1), reason);
  if (url.port == 0) reject(reason);
}

}  // namespace

RedisUrl parse_redis_url(std::string_view text) {
  RedisUrl url;
  const auto scheme_end = text.find("://");
  const std::string_view scheme =
      scheme_end == std::string_view::npos ? std::string_view() : text.substr(0, scheme_end);
  if (scheme != "redis" && scheme != "rediss" && scheme != "unix") {
    reject("does not begin with redis://, rediss:// or unix://");
  }
  std::string_view rest = text.substr(scheme_end + 3);
  take_credentials(rest, url);
  url.uses_tls = scheme == "rediss";
  if (scheme == "unix") {
    read_unix_socket(rest, url);
  } else {
    read_authority(rest, url);
  }
  return url;
}

}  // namespace fw::base
