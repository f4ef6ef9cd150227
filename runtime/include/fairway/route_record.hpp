// What `Router` collects.
#pragma once

#include <fairway/handler.hpp>
#include <fairway/route_options.hpp>

#include <string>

namespace fw {

/// One registration of a route.
struct RouteRecord {
  std::string method;    ///< upper case; "SOCKET" for a socket
  std::string path;      ///< subpath as registered
  RouteOptions options;  ///< as registered
  RouteHandler handler;  ///< as registered
};

}  // namespace fw
