#include "http/epoll/connection_lease.hpp"

#include <doctest/doctest.h>

namespace connection_lease_test {

using fw::http::ConnectionLease;

TEST_CASE("connection lease: the first event owns it, and learns of others before it is free") {
  ConnectionLease lease;
  REQUIRE(lease.acquire());
  const auto first = lease.read_events();
  CHECK(first.unseen == 1);
  CHECK(!lease.acquire());
  CHECK(!lease.release(first.count));
  const auto second = lease.read_events();
  CHECK(second.count == 2);
  CHECK(second.unseen > 0);
  CHECK(lease.release(second.count));
  CHECK(lease.acquire());
}

TEST_CASE("connection lease: an owner that handles no events learns of each other one") {
  ConnectionLease lease;
  REQUIRE(lease.acquire());
  CHECK(lease.release_unread());
  REQUIRE(lease.acquire());
  CHECK(!lease.acquire());  // at any time, the first moment included
  CHECK(!lease.release_unread());
  lease.release_unconditionally();
  REQUIRE(lease.acquire());
  CHECK(lease.release_unread());
}

}  // namespace connection_lease_test
