#include <string>
#include <string_view>
#include <vector>

#include "emit/openapi_parts.hpp"

namespace fairway::emit {

using model::Json;

Json socket_json(const std::string& file, const model::Route& route, Components& components) {
  const auto messages = [&](const std::vector<model::StreamItem>& items, std::string_view part) {
    Json schemas = Json::object();
    for (const model::StreamItem& message : items) {
      schemas[message.name] =
          components.declared(message.schema, {.file = file,
                                               .operation_id = route.operation_id,
                                               .part = std::string(part),
                                               .event = message.name});
    }
    return schemas;
  };
  Json socket;
  if (!route.socket->protocols.empty()) socket["protocols"] = route.socket->protocols;
  if (route.socket->receives_raw) {
    socket["receive"] = "raw";
  } else {
    socket["receive"] = messages(route.socket->receive, "Receive");
  }
  if (route.socket->sends_raw) {
    socket["send"] = "raw";
  } else {
    socket["send"] = messages(route.socket->send, "ResponseMessage");
  }
  return socket;
}

}  // namespace fairway::emit
