// A mounted route: what the stages read of its declaration.
#pragma once

#include <fairway/router.hpp>

#include <cstdint>
#include <string>

#include "exchange/response_schemas.hpp"

namespace fw::detail {

/// Immutable once the application serves.
struct Route {
  std::string method;  ///< upper case
  std::string path;    ///< final template: "/users/:id"
  std::string file;    ///< "src/routes/users.cpp"
  unsigned line = 0;   ///< of the registration; 0 when it has none
  RouteOptions options;
  Handler handler;
  std::string operation_id = {};  ///< of the table; empty for a route of the framework's own
  std::uint64_t body_limit = 0;   ///< bytes
  ResponseSchemas response_schemas = {};
};

/// "GET /users/:id": how messages name a route.
inline std::string name_of(const Route& route) { return route.method + " " + route.path; }

/// The source location: "src/routes/users.cpp:12"; empty for a route of the framework's own.
inline std::string source_of(const Route& route) {
  return route.line == 0 ? route.file : route.file + ":" + std::to_string(route.line);
}

/// Whether bodies of the route's requests are parsed.
inline bool has_request_body(const Route& route) {
  return route.method != "GET" && route.method != "HEAD" && route.method != "OPTIONS";
}

}  // namespace fw::detail
