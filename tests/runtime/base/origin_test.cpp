#include "base/origin.hpp"

#include <doctest/doctest.h>

namespace origin_test {

using fw::base::host_and_port;

TEST_CASE("origins: only an IPv6 address has brackets before the port") {
  CHECK(host_and_port("example.com", 80) == "example.com:80");
  CHECK(host_and_port("192.0.2.1", 65'535) == "192.0.2.1:65535");
  CHECK(host_and_port("::1", 3000) == "[::1]:3000");
}

}  // namespace origin_test
