#include "cluster/worker_process.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <poll.h>
#include <sys/socket.h>

#include "cluster/supervisor_signals.hpp"

namespace worker_process_test {

using fw::cluster::WorkerProcess;

namespace {

bool is_readable(int descriptor) {
  pollfd entry{descriptor, POLLIN, 0};
  return poll(&entry, 1, 60'000) == 1;
}

}  // namespace

TEST_CASE("worker process: a closed or broken link is detected and closed") {
  for (const bool breaks : {false, true}) {
    CAPTURE(breaks);
    WorkerProcess worker({.path = "/bin/sleep", .arguments = {"sleep", "60"}}, 1, {}, -1);
    CHECK(!worker.take_report());
    REQUIRE(worker.control_socket() >= 0);
    // What it has not read when it ends makes the end a reset.
    if (breaks) REQUIRE(send(worker.control_socket(), "x", 1, MSG_NOSIGNAL) == 1);
    worker.signal(SIGKILL);
    REQUIRE(is_readable(worker.control_socket()));
    CHECK(!worker.take_report());
    CHECK(worker.control_socket() == -1);
    REQUIRE(is_readable(worker.pidfd()));
    CHECK(worker.take_end() == "signal 9 (Killed)");
  }
}

TEST_CASE("worker process: a signal before its program runs ends it, and only it") {
  fw::cluster::SupervisorSignals signals;
  for (int i = 0; i < 50; ++i) {
    WorkerProcess worker({.path = "/bin/sleep", .arguments = {"sleep", "60"}}, 1, {}, -1);
    worker.signal(SIGTERM);
    REQUIRE(is_readable(worker.pidfd()));
    CHECK(worker.take_end() == "signal 15 (Terminated)");
  }
  CHECK(!signals.take());
}

}  // namespace worker_process_test
