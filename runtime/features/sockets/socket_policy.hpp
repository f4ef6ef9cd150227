// What a route declares of its sockets: the messages, and how they are opened and sent.
#pragma once

#include <fairway/config.hpp>
#include <fairway/generated/typed.hpp>
#include <fairway/route_options.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

#include "base/throttle.hpp"
#include "features/events/event_channel.hpp"
#include "features/events/push_figures.hpp"
#include "features/events/send_queue.hpp"
#include "schema/node.hpp"
#include "schema/output_schema.hpp"

namespace fw::detail {

struct Environment;

/// The messages of both directions. Either all are raw, or they have names.
struct DeclaredMessages {
  struct Received {
    std::string name;
    schema::Node node;
    const TypeRow* row = nullptr;          ///< of a C++ type
    const std::type_info* type = nullptr;  ///< the struct that `decode` or `row` reads; null: none
    std::unique_ptr<TypedValue> (*decode)(JsonReader&) = nullptr;  ///< generated; null: none
  };
  struct Sent {
    std::string name;
    schema::OutputSchema schema;
    bool has_members;            ///< false: it has no data
    const std::type_info* type;  ///< the struct that always conforms to the schema; null: none
  };

  /// @{
  /// Null if the message is not declared.
  const Received* find_received(std::string_view name) const;
  const Sent* find_sent(std::string_view name) const;
  /// @}

  bool receives_raw = false;
  bool sends_raw = false;
  std::vector<Received> received = {};
  std::vector<Sent> sent = {};
};

/// Constant after the route was mounted, except for counters.
struct SocketPolicy {
  SocketPolicy(std::string route_name, const RouteOptions& options, DeclaredMessages messages,
               const Environment& environment);

  const Environment& env;
  std::string route;  ///< "SOCKET /rooms/:id", for messages
  DeclaredMessages declared;
  QueuePolicy queue;
  std::size_t max_message;  ///< bytes
  std::chrono::milliseconds heartbeat;
  bool closes_on_invalid;
  bool is_compressed;  ///< if the client agrees
  std::vector<std::string> protocols;
  mutable StreamCounts counts;
  mutable PushFigures figures;
  /// Limits the log lines about messages without a handler.
  mutable base::Throttle unhandled{std::chrono::seconds(1)};
};

}  // namespace fw::detail
