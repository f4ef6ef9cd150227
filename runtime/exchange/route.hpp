// A mounted route with its declaration.
#pragma once

#include <fairway/generated/typed.hpp>
#include <fairway/router.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/methods.hpp"
#include "base/string_pool.hpp"
#include "exchange/input_schema.hpp"
#include "exchange/response_schemas.hpp"

namespace fw::detail {

class BodyTurns;
class EarlyWaiter;
class SessionPrefetcher;
struct SocketPolicy;
struct StreamPolicy;

/// Immutable after startup.
struct Route {
  std::string method;  ///< upper case; "SOCKET" for a socket
  std::string path;    ///< final template: "/users/:id"
  std::string file;    ///< "src/routes/users.cpp"
  unsigned line = 0;   ///< of the registration; 0 if unknown
  RouteOptions options;
  Handler handler;
  std::size_t number = 0;         ///< in the order of the routes of the application
  std::string operation_id = {};  ///< from the route table; empty for routes of the framework
  std::uint64_t body_limit = 0;   ///< bytes
  std::vector<InputSchema> inputs = {};            ///< of `validate`, in the order of `Location`
  std::optional<StreamSchema> result_stream = {};  ///< the result of the handler
  ResponseSchemas response_schemas = {};
  std::shared_ptr<const StreamPolicy> stream_policy = {};  ///< null: it has no streams
  std::shared_ptr<const SocketPolicy> socket_policy = {};  ///< null: it is no socket
  std::optional<schema::OutputSchema> page_data = {};      ///< of `frontend.data`
  const RouteTypes* types = nullptr;  ///< generated; null: requests are handled without them
  /// Null: sessions are not prefetched.
  std::shared_ptr<SessionPrefetcher> session_prefetcher = {};
  /// Null: bodies of its requests are received before these are handled.
  std::shared_ptr<BodyTurns> body_turns = {};
  /// Null: its requests do not wait for each other.
  std::shared_ptr<EarlyWaiter> early_waiter = {};
  /// Names of fields, other than Authorization and Cookie, in which fw::auth looks for the
  /// credentials of its clients. Known before its first response is cached.
  std::shared_ptr<base::StringPool> credential_fields = std::make_shared<base::StringPool>();

  /// The schema of a location; null if there is none.
  const InputSchema* input(Location location) const {
    for (const InputSchema& input : inputs) {
      if (input.location == location) return &input;
    }
    return nullptr;
  }

  /// The time that its requests may take; empty if there is no limit.
  const std::optional<Milliseconds>& time_limit() const {
    return options.timeout.declared() ? options.timeout.deadline() : options.override_.timeout;
  }
};

/// "GET /users/:id": the name of a route in messages.
inline std::string name_of(const Route& route) { return route.method + " " + route.path; }

/// The source location: "src/routes/users.cpp:12"; empty for routes of the framework.
inline std::string source_of(const Route& route) {
  return route.line == 0 ? route.file : route.file + ":" + std::to_string(route.line);
}

/// The method of its requests: sockets are opened by a GET.
inline std::string_view request_method(const Route& route) {
  return route.method == base::kSocketMethod ? std::string_view("GET") : route.method;
}

/// Whether request bodies of the route are parsed.
inline bool has_request_body(const Route& route) {
  return route.method != base::kSocketMethod && !base::is_safe(route.method);
}

}  // namespace fw::detail
