// What becomes of clients that the system has no room for.
#include "http/epoll/acceptor.hpp"

#include <doctest/doctest.h>

#include <cerrno>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

#include "local_options.hpp"
#include "loopback.hpp"

namespace acceptor_test {

using namespace fw::http;
using namespace fw::http::test;

TEST_CASE("acceptor: a client that cannot be admitted is disconnected, and others are accepted") {
  int error = 0;
  SUBCASE("the system cannot watch it") { error = ENOSPC; }
  SUBCASE("no memory") { error = ENOMEM; }
  Poller poller(0ms);
  AdapterOptions options = local_options();
  std::vector<Listener> listeners;
  listeners.push_back(Listener::open(options));
  std::vector<AcceptedSocket> admitted;
  std::vector<int> failed_accepts;
  bool has_room = false;
  Acceptor acceptor(
      poller, std::move(listeners),
      [&](AcceptedSocket socket) {
        if (!has_room && error == ENOMEM) throw std::bad_alloc();
        if (!has_room) throw std::system_error(error, std::generic_category(), "cannot watch");
        admitted.push_back(std::move(socket));
      },
      [&](int its_error) { failed_accepts.push_back(its_error); });
  acceptor.watch();
  Client first(acceptor.port());
  acceptor.accept_waiting();
  CHECK(failed_accepts == std::vector{error});
  CHECK(first.sees_end());
  has_room = true;
  const Client second(acceptor.port());
  acceptor.sweep();
  acceptor.accept_waiting();
  CHECK(admitted.size() == 1);
  CHECK(failed_accepts.size() == 1);
}

}  // namespace acceptor_test
