// The URL of a Redis server.
#include "base/redis_url.hpp"

#include <fairway/store.hpp>

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#include "store/redis_probes.hpp"

namespace redis_url_test {

namespace {

using fw::base::parse_redis_url;
using fw::store::test::contains;

}  // namespace

TEST_CASE("redis url: all parts are parsed") {
  const auto plain = parse_redis_url("redis://cache.test");
  CHECK(plain.host == "cache.test");
  CHECK(plain.port == 6379);
  CHECK(plain.database == 0);
  CHECK_FALSE(plain.uses_tls);
  const auto whole = parse_redis_url("rediss://ad%40a:p%3Aw@[::1]:7000/5");
  CHECK(whole.uses_tls);
  CHECK(whole.user == "ad@a");
  CHECK(whole.password == "p:w");
  CHECK(whole.host == "::1");
  CHECK(whole.port == 7000);
  CHECK(whole.database == 5);
  const auto socket = parse_redis_url("unix://:word@/run/my%20redis.sock?db=2");
  CHECK(socket.unix_socket == "/run/my redis.sock");
  CHECK(socket.user.empty());
  CHECK(socket.password == "word");
  CHECK(socket.database == 2);
}

TEST_CASE("redis url: invalid URLs are rejected, and messages omit the password") {
  for (const std::string url :
       {"", "redis:", "redis://", "redis://:secret@", "redis://secret@host", "http://host",
        "redis://:secret@host:0", "redis://:secret@host:65536", "redis://:secret@host:1x",
        "redis://:secret@host/db", "redis://:secret@host/-1", "redis://[::1", "redis://[::1]x",
        "redis://:secret%4@host", "unix://relative", "unix:///a?database=1", "unix:///a?db=x"}) {
    CAPTURE(url);
    try {
      parse_redis_url(url);
      FAIL("accepted");
    } catch (const std::invalid_argument& error) {
      CHECK(std::string(error.what()).starts_with("the URL of the Redis server "));
      CHECK_FALSE(contains(error.what(), "secret"));
    }
  }
  CHECK_THROWS_AS(fw::redis_store({.timeout = 0}), std::invalid_argument);
  CHECK_THROWS_AS(fw::redis_store({.connections = 0}), std::invalid_argument);
}

}  // namespace redis_url_test
