// The configuration of a test's application that listens on a port.
#pragma once

#include <fairway/config.hpp>
#include <fairway/testing.hpp>

#include "http/loopback.hpp"

namespace fw::support {

/// On a busy machine, seconds may not be enough: for the end, or until a thread is free.
inline Config server_config() {
  Config config = testing::TestApp::test_config();
  config.host = "127.0.0.1";
  config.port = 0;
  config.server.http2.cleartext = http::test::tests_http2();
  config.shutdown.timeout = 60'000;
  if (http::test::tests_httplib()) {
    config.server.engine = HttpEngine::httplib;
  } else {
    config.server.queue_timeout = 600'000;  // httplib has no such limit, and rejects it
  }
  return config;
}

}  // namespace fw::support
