#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "base/media_type.hpp"
#include "emit/clients/cpp/cpp_parts.hpp"
#include "emit/source_parts.hpp"

namespace fairway::emit {
namespace {

/// The code for a success response: its type, and the expression that reads it from `received`.
struct ResponseCode {
  std::string status;  ///< "201"; empty for a family or any status
  std::string type;    ///< "void" if there is no body
  std::string read;
};

ResponseCode response_code(const ClientResponse& response, bool envelope, const std::string& wish,
                           CppTypes& types) {
  ResponseCode result;
  const bool is_exact =
      std::ranges::all_of(response.selector, [](char c) { return c >= '0' && c <= '9'; });
  if (is_exact) result.status = response.selector;
  if (response.schema.is_null()) {
    result.type = "void";
  } else if (fw::base::is_json(response.media_type)) {
    result.type = types.type(response.schema, wish);
    result.read =
        fmt::format("detail::{}<{}>(received)",
                    envelope && response.is_wrapped ? "read_data" : "read_body", result.type);
  } else {
    result.type = "RawBody";
    result.read = "detail::read_raw(std::move(received))";
  }
  return result;
}

/// Exact statuses first, then the family.
std::vector<ResponseCode> response_codes(const ClientOperation& operation, bool envelope,
                                         const std::string& wish, CppTypes& types) {
  std::vector<ResponseCode> exact;
  std::vector<ResponseCode> families;
  for (const ClientResponse& response : operation.responses) {
    const std::string name = operation.responses.size() == 1 ? wish : wish + response.selector;
    ResponseCode text = response_code(response, envelope, name, types);
    (text.status.empty() ? families : exact).push_back(std::move(text));
  }
  exact.insert(exact.end(), families.begin(), families.end());
  return exact;
}

/// The code for all responses: the result type, and its declaration if it is a new type.
struct ResultCode {
  std::string type = "void";
  std::string declaration;
  std::string reading;  ///< statements after the call of `send`
};

std::string variant_of(const std::vector<ResponseCode>& responses) {
  std::vector<std::string> types;
  for (const ResponseCode& response : responses) {
    const std::string type = response.type == "void" ? "std::monostate" : response.type;
    if (std::ranges::find(types, type) == types.end()) types.push_back(type);
  }
  if (types.size() == 1) return types.front();
  return fmt::format("std::variant<{}>", fmt::join(types, ", "));
}

ResultCode result_code(const std::vector<ResponseCode>& responses, const std::string& wish,
                       model::NameScope& names) {
  ResultCode result;
  const bool has_body = std::ranges::any_of(
      responses, [](const ResponseCode& response) { return response.type != "void"; });
  if (!has_body) return result;
  if (responses.size() == 1) {
    result.type = responses.front().type;
    result.reading = "return " + responses.front().read + ";\n";
    return result;
  }
  result.type = variant_of(responses);
  if (result.type.starts_with("std::variant")) {
    const std::string name = names.add(wish);
    result.declaration = fmt::format("using {} = {};\n", name, result.type);
    result.type = name;
  }
  bool is_complete = false;
  for (const ResponseCode& response : responses) {
    const std::string value = response.read.empty() ? "std::monostate()" : response.read;
    if (!response.status.empty()) {
      result.reading +=
          fmt::format("if (received.has_status({})) return {};\n", response.status, value);
    } else if (!is_complete) {
      result.reading += fmt::format("return {};\n", value);
      is_complete = true;
    }
  }
  if (!is_complete) result.reading += "received.fail(\"has a status that is not documented\");\n";
  return result;
}

std::string method_comment(const ClientOperation& operation,
                           const std::vector<std::string>& errors) {
  std::string text = operation.summary;
  if (!operation.description.empty()) text += "\n\n" + operation.description;
  text += "\n\n" + (operation.socket ? "A socket at" : operation.method) + " " + operation.path;
  if (operation.secured) text += ", with credentials";
  for (const ClientErrorResponse& response : operation.errors) {
    text += fmt::format("{}{} ({})", &response == operation.errors.data() ? "\n\nThrows " : ", ",
                        errors[response.error], response.selector);
  }
  return doc_comment(text);
}

// A documented redirection is not an error if it is the only response of an operation.
bool responds_with_redirection(const ClientOperation& operation) {
  return !operation.responses.empty() && operation.responses.front().selector == "default" &&
         operation.responses.front().schema.is_null();
}

/// What a stream consists of.
struct StreamCode {
  std::string type;         ///< "LiveEvent"
  std::string declaration;  ///< of the events; empty for lines
  std::string opening;      ///< "detail::open_events(*transport_, std::move(call), kLiveEvents"
  std::string reading;      ///< "detail::read_events<LiveEvent>(*transport_, call, kLiveEvents"
};

StreamCode stream_code(const ClientOperation& operation, const ClientResponse& stream,
                       CppTypes& types, model::NameScope& names) {
  const std::string name = model::pascal_case(operation.id);
  StreamCode code;
  if (stream.items.front().name.empty()) {
    code.type = types.type(stream.items.front().schema, name + "Line");
    code.opening = fmt::format("detail::open_lines<{}>(*transport_, std::move(call)", code.type);
    code.reading = fmt::format("detail::read_lines<{}>(*transport_, call", code.type);
    return code;
  }
  std::vector<std::string> alternatives;
  std::string kinds;
  code.type = names.add(name + "Event");
  for (const ClientStreamItem& event : stream.items) {
    const std::string wish = name + model::pascal_case(event.name);
    const std::string data = types.type(event.schema, wish + "Data");
    const std::string type = names.add(wish + "Event");
    append_block(code.declaration, fill(R"(
/// The event $comment$ of $id$.
struct $type$ {
  $data$ data = {};
  std::string id = {};  ///< of this event or the last one that had an id
};
)",
                                        {{"comment", comment_text(event.name)},
                                         {"id", comment_text(operation.id)},
                                         {"type", type},
                                         {"data", data}}));
    kinds += fill(
        R"(
{$name$,
 [](const detail::Received& data, std::string id) -> $any$ {
   return $type${detail::read_body<$data$>(data), std::move(id)};
 }},
)",
        {{"name", string_literal(event.name)}, {"any", code.type}, {"type", type}, {"data", data}});
    alternatives.push_back(type);
  }
  const std::string table = names.add("k" + name + "Events");
  append_block(code.declaration, fmt::format("using {} = std::variant<{}>;\n", code.type,
                                             fmt::join(alternatives, ", ")));
  append_block(code.declaration, fill(R"(
inline constexpr detail::EventKind<$type$> $table$[] = {
    $kinds$
};
)",
                                      {{"type", code.type}, {"table", table}, {"kinds", kinds}}));
  code.opening =
      fmt::format("detail::open_events<{}>(*transport_, std::move(call), {}", code.type, table);
  code.reading = fmt::format("detail::read_events<{}>(*transport_, call, {}", code.type, table);
  return code;
}

/// The methods for a stream: a range, and a function that is called with each item.
CppOperation cpp_stream(const ClientOperation& operation, const ClientResponse& stream,
                        const std::vector<std::string>& errors, CppTypes& types,
                        model::NameScope& names, model::NameScope& methods) {
  const CppRequest request = cpp_request(operation, types, names);
  const StreamCode code = stream_code(operation, stream, types, names);
  const std::string first = request.name.empty() ? "" : "const " + request.name + "& request";
  const std::string optional =
      first.empty() ? "" : first + (request.is_optional ? " = {}, " : ", ");
  CppOperation texts{.request = request.declaration, .result = code.declaration, .method = {}};
  texts.method = fill(
      R"(
$comment$
$deprecated$
Stream<$type$> $name$($optional$const StreamOptions& options = {}) {
  detail::Call call = transport_->call($id$, $method$);
  $building$
  return $opening$, options);
}
/// The same on the calling thread: calls `handle` with each item until it returns false.
$deprecated$
void $each$($first$const std::function<bool($type$)>& handle,
    const StreamOptions& options = {}) {
  detail::Call call = transport_->call($id$, $method$);
  $building$
  $reading$, options, handle);
}
)",
      {{"comment", method_comment(operation, errors)},
       {"deprecated", operation.deprecated ? "[[deprecated]]" : ""},
       {"type", code.type},
       {"name", methods.add(model::cpp_name(operation.id))},
       {"each", methods.add("forEach" + model::pascal_case(operation.id))},
       {"first", first.empty() ? "" : first + ", "},
       {"optional", optional},
       {"id", string_literal(operation.id)},
       {"method", string_literal(operation.method)},
       {"building", request.building},
       {"opening", code.opening},
       {"reading", code.reading}});
  return texts;
}

/// The types of the messages of a socket, each declared once.
class SocketMessages {
 public:
  SocketMessages(const ClientOperation& operation, CppTypes& types, model::NameScope& names)
      : operation_(operation), types_(types), names_(names) {}

  /// The type of all messages of a direction.
  std::string type(const std::vector<ClientStreamItem>& messages, bool is_raw) {
    if (is_raw) return "RawMessage";
    if (messages.empty()) return "NoMessage";
    std::vector<std::string> alternatives;
    for (const ClientStreamItem& message : messages) alternatives.push_back(declare(message));
    return fmt::format("std::variant<{}>", fmt::join(alternatives, ", "));
  }

  std::string take_declarations() { return std::move(declarations_); }

 private:
  // A message of both directions has the same members in both.
  std::string declare(const ClientStreamItem& message) {
    std::string& name = declared_[message.name];
    if (!name.empty()) return name;
    const std::string wish = model::pascal_case(operation_.id) + model::pascal_case(message.name);
    const std::string data = types_.type(message.schema, wish + "Data");
    name = names_.add(wish + "Message");
    append_block(declarations_, fill(R"(
/// The message $comment$ of $id$.
struct $name$ {
  static constexpr std::string_view fw_type = $type$;
  $data$ data = {};
  friend bool operator==(const $name$&, const $name$&) = default;
};
)",
                                     {{"comment", comment_text(message.name)},
                                      {"id", comment_text(operation_.id)},
                                      {"name", name},
                                      {"type", string_literal(message.name)},
                                      {"data", data}}));
    return name;
  }

  const ClientOperation& operation_;
  CppTypes& types_;
  model::NameScope& names_;
  std::map<std::string, std::string> declared_;  ///< types by the names of messages
  std::string declarations_;
};

CppOperation cpp_socket(const ClientOperation& operation, const ClientSocket& socket,
                        const std::vector<std::string>& errors, CppTypes& types,
                        model::NameScope& names, model::NameScope& methods) {
  const CppRequest request = cpp_request(operation, types, names);
  const std::string name = model::pascal_case(operation.id);
  SocketMessages messages(operation, types, names);
  const std::string sends = messages.type(socket.send, socket.sends_raw);
  const std::string receives = messages.type(socket.receive, socket.receives_raw);
  const std::string sends_name = names.add(name + "Sends");
  const std::string receives_name = names.add(name + "Receives");
  const std::string type = names.add(name + "Socket");
  std::vector<std::string> protocols;
  for (const std::string& protocol : socket.protocols)
    protocols.push_back(string_literal(protocol));
  CppOperation texts{
      .request = request.declaration, .result = messages.take_declarations(), .method = {}};
  append_block(texts.result, fill(R"(
using $sends_name$ = $sends$;
using $receives_name$ = $receives$;
using $type$ = Socket<$sends_name$, $receives_name$>;
)",
                                  {{"sends_name", sends_name},
                                   {"sends", sends},
                                   {"receives_name", receives_name},
                                   {"receives", receives},
                                   {"type", type}}));
  std::string input;
  if (!request.name.empty()) {
    input = "const " + request.name + "& request" + (request.is_optional ? " = {}, " : ", ");
  }
  texts.method = fill(
      R"(
$comment$
$deprecated$
$type$ $name$($input$const $type$::Options& options = {}) {
  detail::Call call = transport_->call($id$, "GET");
  $building$
  return $type$(*transport_, std::move(call), {$protocols$}, options);
}
)",
      {{"comment", method_comment(operation, errors)},
       {"deprecated", operation.deprecated ? "[[deprecated]]" : ""},
       {"type", type},
       {"name", methods.add(model::cpp_name(operation.id))},
       {"input", input},
       {"id", string_literal(operation.id)},
       {"building", request.building},
       {"protocols", fmt::format("{}", fmt::join(protocols, ", "))}});
  return texts;
}

}  // namespace

CppOperation cpp_operation(const ClientOperation& operation, bool envelope,
                           const std::vector<std::string>& errors, CppTypes& types,
                           model::NameScope& names, model::NameScope& methods) {
  if (operation.socket) {
    return cpp_socket(operation, *operation.socket, errors, types, names, methods);
  }
  if (const ClientResponse* stream = operation.streamed()) {
    return cpp_stream(operation, *stream, errors, types, names, methods);
  }
  const std::string name = model::pascal_case(operation.id);
  const CppRequest request = cpp_request(operation, types, names);
  const auto responses = response_codes(operation, envelope, name + "Response", types);
  const ResultCode result = result_code(responses, name + "Response", names);

  std::string parameters = "const CallOptions& options = {}";
  if (!request.name.empty()) {
    parameters =
        fmt::format("const {}& request{}, ", request.name, request.is_optional ? " = {}" : "") +
        parameters;
  }
  const std::string method = methods.add(model::cpp_name(operation.id));
  const bool is_long = result.type.size() + method.size() + parameters.size() > 90;
  if (is_long && !request.name.empty()) {
    const std::size_t comma = parameters.find(", ");
    parameters.replace(comma, 2, ",\n" + std::string(4, ' '));
    parameters.insert(0, "\n    ");
  }
  const std::string sending = fmt::format("transport_->send(call, options{});\n",
                                          responds_with_redirection(operation) ? ", true" : "");
  CppOperation texts{.request = request.declaration, .result = result.declaration, .method = {}};
  texts.method = fill(
      R"(
$comment$
$deprecated$
$type$ $name$($parameters$) {
  detail::Call call = transport_->call($id$, $method$);
  $building$
  $sending$
  $reading$
}
)",
      {{"comment", method_comment(operation, errors)},
       {"deprecated", operation.deprecated ? "[[deprecated]]" : ""},
       {"type", result.type},
       {"name", method},
       {"parameters", parameters},
       {"id", string_literal(operation.id)},
       {"method", string_literal(operation.method)},
       {"building", request.building},
       {"sending", result.reading.empty() ? sending : "detail::Received received = " + sending},
       {"reading", result.reading}});
  return texts;
}

}  // namespace fairway::emit
