// The options of engines without an application.
#pragma once

#include "http/adapter.hpp"

namespace fw::http::test {

/// The defaults, but on a free port of this machine, and clients may be slow.
inline AdapterOptions local_options() {
  AdapterOptions options{Config()};
  options.host = "127.0.0.1";
  options.port = 0;
  options.min_data_rate.bytes_per_second = 0;
  return options;
}

}  // namespace fw::http::test
