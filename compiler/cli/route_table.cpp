#include "cli/route_table.hpp"

#include <vector>

namespace fairway::cli {
namespace {

model::Json auth_of(const model::Auth& auth) {
  switch (auth.kind) {
    case model::AuthKind::unset:
      return nullptr;
    case model::AuthKind::disabled:
      return false;
    case model::AuthKind::required:
      return true;
    case model::AuthKind::requirement:
      return {{"required", auth.guards()}};
  }
  return nullptr;
}

/// The names of the events, `true` for lines, or null for a route without a stream.
model::Json stream_of(const model::Route& route) {
  const model::ResponseSchema* response = route.streamed();
  if (!response) return nullptr;
  if (response->stream->format == model::Stream::Format::lines) return true;
  model::Json names = model::Json::array();
  for (const model::StreamItem& event : response->stream->items) names.push_back(event.name);
  return names;
}

/// The names of the messages of a direction; "raw" for `fw::raw`.
model::Json messages_of(const std::vector<model::StreamItem>& messages, bool is_raw) {
  if (is_raw) return "raw";
  model::Json names = model::Json::array();
  for (const model::StreamItem& message : messages) names.push_back(message.name);
  return names;
}

model::Json socket_of(const model::Route& route) {
  if (!route.socket) return nullptr;
  const model::Socket& socket = *route.socket;
  return {{"receive", messages_of(socket.receive, socket.receives_raw)},
          {"send", messages_of(socket.send, socket.sends_raw)},
          {"protocols", socket.protocols}};
}

bool is_tool(const model::Route& route) {
  const auto option = route.options.find("mcp");
  return option != route.options.end() && *option == true;
}

model::Json row_of(const model::RouteFile& file, const model::Route& route) {
  model::Json middlewares = model::Json::array();
  for (const auto& middleware : route.middlewares) middlewares.push_back(middleware.name);
  model::Json validate = model::Json::array();
  for (const auto& location : route.validate) validate.push_back(location.location);
  model::Json responses = model::Json::array();
  for (const auto& response : route.responses) responses.push_back(response.selector);
  return {{"method", route.method},
          {"path", route.path},
          {"prefix", file.prefix},
          {"subpath", route.subpath},
          {"file", file.display_path},
          {"line", route.range.line},
          {"operation_id", route.operation_id},
          {"operation_id_source", route.operation_id_inferred ? "inferred" : "explicit"},
          {"tags", route.docs.tags},
          {"summary", route.docs.summary},
          {"hidden", route.docs.hidden},
          {"deprecated", route.docs.deprecated},
          {"middlewares", middlewares},
          {"auth", auth_of(route.auth)},
          {"validate", validate},
          {"responses", responses},
          {"stream", stream_of(route)},
          {"socket", socket_of(route)},
          {"mcp", is_tool(route)}};
}

}  // namespace

model::Json route_table_json(const model::Application& application) {
  model::Json rows = model::Json::array();
  for (const auto& file : application.files) {
    for (const auto& route : file.routes) rows.push_back(row_of(file, route));
  }
  return {{"version", 1}, {"routes", rows}};
}

}  // namespace fairway::cli
