#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/media_type.hpp"
#include "emit/clients/typescript/typescript_parts.hpp"
#include "emit/source_parts.hpp"

namespace fairway::emit {
namespace {

using model::Json;

constexpr std::pair<ParameterLocation, std::string_view> kGroups[] = {
    {ParameterLocation::path, "path"},
    {ParameterLocation::query, "query"},
    {ParameterLocation::header, "headers"},
    {ParameterLocation::cookie, "cookies"},
};

/// The way to read a response, and the type of the result.
struct Reading {
  std::string_view how;
  std::string type;
};

/// Builds the parts of one method: its input, its request and its result.
class MethodWriter {
 public:
  MethodWriter(const ClientOperation& operation, bool envelope,
               const std::vector<std::string>& errors, TypeScriptTypes& types)
      : operation_(operation),
        envelope_(envelope),
        errors_(errors),
        types_(types),
        type_name_(model::pascal_case(operation.id)) {}

  std::string write(const std::string& name) {
    const std::string input = input_type();
    if (operation_.socket) return write_socket(*operation_.socket, name, input);
    const ClientResponse* stream = operation_.streamed();
    const std::string result = stream ? stream_type(*stream) : promise_of(result_type());
    const std::string request = '`' + operation_.method + ' ' + operation_.path + '`';
    return fill(R"ts(
$doc$
$signature$ {
  const operation: Operation = {
    method: "$method$",
    path: $path$,
    reads: $reads$,
    $sends$
    $errors$
    $events$
  };
  return this.#transport.$send$(operation, input, options);
}
)ts",
                {{"doc", typescript_doc({operation_.summary, operation_.description,
                                         request + (operation_.secured ? ", with a token" : "")},
                                        operation_.deprecated)},
                 {"signature", signature(typescript_member(name), input, result)},
                 {"method", operation_.method},
                 {"path", typescript_string(path_template())},
                 {"reads", reads_},
                 {"sends", sends()},
                 {"send", stream ? "stream" : "send"},
                 {"events", stream ? event_names(*stream) : ""},
                 {"errors", known_errors()}});
  }

 private:
  std::string write_socket(const ClientSocket& socket, const std::string& name,
                           const std::string& input) {
    const std::string sent = messages_type(socket.send, "Sends", "client sends");
    const std::string received = messages_type(socket.receive, "Receives", "service sends");
    const std::string result =
        fmt::format("Socket<{}, {}>", socket.sends_raw ? "RawMessages" : sent,
                    socket.receives_raw ? "RawMessages" : received);
    std::string protocols;
    for (const std::string& protocol : socket.protocols) {
      protocols += (protocols.empty() ? "" : ", ") + typescript_string(protocol);
    }
    const std::string request = "A socket at `" + operation_.path + '`';
    return fill(R"ts(
$doc$
$signature$ {
  const operation: SocketOperation = {
    path: $path$,
    protocols: [$protocols$],
    $raw$
  };
  return new Socket(this.#options, operation, input, options);
}
)ts",
                {{"doc", typescript_doc({operation_.summary, operation_.description,
                                         request + (operation_.secured ? ", with a token" : "")},
                                        operation_.deprecated)},
                 {"signature", signature(typescript_member(name), input, result)},
                 {"path", typescript_string(path_template())},
                 {"protocols", protocols},
                 {"raw", std::string(socket.sends_raw ? "sendsRaw: true,\n" : "") +
                             (socket.receives_raw ? "receivesRaw: true,\n" : "")}});
  }

  /// The interface with the data of each message, by name.
  std::string messages_type(const std::vector<ClientStreamItem>& messages, const std::string& end,
                            const std::string& what) {
    if (messages.empty()) return "Record<never, never>";
    std::string members;
    for (const ClientStreamItem& message : messages) {
      members += fmt::format(
          "{}: {};\n", typescript_member(message.name),
          types_.named(type_name_ + model::pascal_case(message.name) + "Message", message.schema));
    }
    return types_.declare(
        type_name_ + end,
        typescript_doc({"The messages that the " + what + " to `" + operation_.id + "`."}),
        fill("{\n  $members$\n}", {{"members", members}}));
  }

  // On one line if it fits, including the indentation and the brace of the method.
  std::string signature(const std::string& name, const std::string& input,
                        const std::string& result) const {
    constexpr std::size_t kMaxLength = 100 - 4;
    const std::string first = "input: " + input + (needs_input_ ? "" : " = {}");
    const std::string options = operation_.socket       ? "options?: SocketOptions"
                                : operation_.streamed() ? "options?: StreamOptions"
                                                        : "options?: RequestOptions";
    const std::string one_line = name + '(' + first + ", " + options + "): " + result;
    if (one_line.size() <= kMaxLength) return one_line;
    return name + "(\n  " + first + ",\n  " + options + ",\n): " + result;
  }

  std::string input_type() {
    std::string members;
    for (const auto& [location, name] : kGroups) members += group(location, std::string(name));
    const std::string bodies = body_members();
    const std::string doc =
        typescript_doc({"The input of `" + operation_.id + "`."}, operation_.deprecated);
    const std::string wish = type_name_ + "Input";
    if (members.empty() && bodies.empty()) {
      return types_.declare(wish, doc, "Record<string, never>");
    }
    // Either a body or a form.
    if (has_body() && has_form()) {
      const std::string choice =
          needs_body() ? "({ body: $body$; form?: never } | { body?: never; form: $form$ })"
                       : "({ body?: $body$; form?: never } | { body?: never; form?: $form$ })";
      std::string both = fill(choice, {{"body", body_type()}, {"form", form_type()}});
      if (!members.empty()) both = fill("{\n  $members$\n} & ", {{"members", members}}) + both;
      return types_.declare(wish, doc, both);
    }
    return types_.declare(wish, doc, fill("{\n  $members$\n}", {{"members", members + bodies}}));
  }

  // The parameters of one location as one member.
  std::string group(ParameterLocation location, const std::string& name) {
    std::string members;
    bool required = false;
    for (const ClientParameter& parameter : operation_.parameters) {
      if (parameter.location != location) continue;
      required = required || parameter.required;
      // The comment describes the parameter, not its schema.
      Json schema = parameter.schema;
      if (!parameter.description.empty() && schema.is_object()) {
        schema["description"] = parameter.description;
      }
      members += types_.member(parameter.name, parameter.required, schema);
    }
    if (members.empty()) return {};
    needs_input_ = needs_input_ || required;
    const std::string doc =
        location == ParameterLocation::cookie
            ? "A call with cookies throws a TypeError in browsers, which send only their own."
            : "";
    return fill("$doc$\n$name$$mark$: {\n  $members$\n};\n", {{"doc", typescript_doc({doc})},
                                                              {"name", name},
                                                              {"mark", required ? "" : "?"},
                                                              {"members", members}});
  }

  // `fetch` cannot send a body with GET or HEAD, and the service would not read it.
  bool can_send() const {
    return operation_.body && operation_.method != "GET" && operation_.method != "HEAD";
  }
  bool has_form() const { return can_send() && !operation_.body->form.is_null(); }
  bool has_body() const {
    return can_send() && (!operation_.body->json.is_null() || !operation_.body->media_type.empty());
  }
  bool needs_body() const { return can_send() && operation_.body->required; }

  std::string body_members() {
    if (!has_body() && !has_form()) return {};
    needs_input_ = needs_input_ || needs_body();
    if (has_body() && has_form()) return "both";
    return fill("$name$$mark$: $type$;\n", {{"name", has_form() ? "form" : "body"},
                                            {"mark", needs_body() ? "" : "?"},
                                            {"type", has_form() ? form_type() : body_type()}});
  }

  std::string body_type() {
    if (!operation_.body->media_type.empty()) return "string | Blob | ArrayBuffer";
    return types_.named(type_name_ + "Body", operation_.body->json);
  }
  std::string form_type() { return types_.named(type_name_ + "Form", operation_.body->form); }

  std::string sends() const {
    if (!can_send() || operation_.body->media_type.empty()) return {};
    return "sends: " + typescript_string(operation_.body->media_type) + ',';
  }

  std::string path_template() const {
    std::string path = operation_.path;
    for (const ClientParameter& parameter : operation_.parameters) {
      if (parameter.location != ParameterLocation::path || !parameter.wildcard) continue;
      const std::size_t at = path.find('{' + parameter.name + '}');
      if (at != std::string::npos) path.insert(at + 1, "+");
    }
    return path;
  }

  /// The classes of the errors with a code, each once.
  std::vector<std::string> error_classes() const {
    std::vector<std::string> classes;
    for (const ClientErrorResponse& response : operation_.errors) {
      const std::string& name = errors_[response.error];
      if (std::ranges::find(classes, name) == classes.end()) classes.push_back(name);
    }
    return classes;
  }

  std::string known_errors() const {
    const auto classes = error_classes();
    return classes.empty() ? "" : fmt::format("errors: [{}],", fmt::join(classes, ", "));
  }

  std::string promise_of(const std::string& result) {
    const auto classes = error_classes();
    if (classes.empty()) return "Promise<" + result + '>';
    const std::string doc =
        typescript_doc({"The errors of `" + operation_.id + "` that the document lists."});
    const std::string errors =
        types_.declare(type_name_ + "Error", doc, fmt::format("{}", fmt::join(classes, " | ")));
    return "ApiCall<" + result + ", " + errors + '>';
  }

  std::string result_type() {
    const std::string wish = type_name_ + "Result";
    if (operation_.responses.size() <= 1) {
      const Reading reading = operation_.responses.empty()
                                  ? Reading{"nothing", "void"}
                                  : read(operation_.responses.front(), wish);
      reads_ = typescript_string(reading.how);
      return reading.type;
    }
    std::string any;
    std::string reads;
    for (const ClientResponse& response : operation_.responses) {
      const Reading reading = read(response, type_name_ + "Result" + response.selector);
      reads += (reads.empty() ? "" : ", ") + typescript_string(response.selector) + ": " +
               typescript_string(reading.how);
      any += '\n' + fill("  | { status: $status$; data: $type$ }",
                         {{"status", statuses(response.selector)},
                          {"type", reading.type == "void" ? "undefined" : reading.type}});
    }
    reads_ = "{ " + reads + " }";
    return types_.declare(
        wish, typescript_doc({"The responses of `" + operation_.id + "`, by status."}), any);
  }

  std::string stream_type(const ClientResponse& stream) {
    const bool is_lines = stream.items.front().name.empty();
    reads_ = typescript_string(is_lines ? "lines" : "events");
    // The errors of a stream are thrown when it is read.
    std::string item;
    if (is_lines) {
      item = types_.named(type_name_ + "Line", stream.items.front().schema);
    } else {
      std::string events;
      for (const ClientStreamItem& event : stream.items) {
        events +=
            '\n' + fill("  | { event: $name$; data: $type$; id: string }",
                        {{"name", typescript_string(event.name)},
                         {"type", types_.named(type_name_ + model::pascal_case(event.name) + "Data",
                                               event.schema)}});
      }
      item = types_.declare(type_name_ + "Event",
                            typescript_doc({"The events of `" + operation_.id + "`."}), events);
    }
    return "AsyncGenerator<" + item + ", void, undefined>";
  }

  static std::string event_names(const ClientResponse& stream) {
    std::string names;
    for (const ClientStreamItem& event : stream.items) {
      if (event.name.empty()) return {};
      names += (names.empty() ? "" : ", ") + typescript_string(event.name);
    }
    return "events: [" + names + "],";
  }

  Reading read(const ClientResponse& response, const std::string& wish) {
    const std::string_view media_type = fw::base::media_type(response.media_type);
    if (media_type.empty() || response.schema.is_null()) return {"nothing", "void"};
    if (fw::base::is_json(media_type)) {
      return {envelope_ && response.is_wrapped ? "data" : "json",
              types_.named(wish, response.schema)};
    }
    // The caller reads streams.
    if (media_type == "text/event-stream" || media_type == "application/x-ndjson") {
      return {"response", "Response"};
    }
    if (media_type.starts_with("text/") || media_type == "application/xml" ||
        media_type.ends_with("+xml")) {
      return {"text", "string"};
    }
    return {"blob", "Blob"};
  }

  // The status of a response as a type. For a family, the statuses without their own response.
  std::string statuses(const std::string& selector) const {
    if (selector != "2XX") return selector;
    std::string any;
    for (const char* status : {"200", "201", "202", "203", "204", "205", "206", "207", "208"}) {
      const bool is_own = std::ranges::any_of(
          operation_.responses,
          [&](const ClientResponse& other) { return other.selector == status; });
      if (!is_own) any += (any.empty() ? "" : " | ") + std::string(status);
    }
    return any;
  }

  const ClientOperation& operation_;
  const bool envelope_;
  const std::vector<std::string>& errors_;
  TypeScriptTypes& types_;
  const std::string type_name_;
  bool needs_input_ = false;
  std::string reads_;
};

}  // namespace

std::string typescript_method(const ClientOperation& operation, const std::string& name,
                              bool envelope, const std::vector<std::string>& errors,
                              TypeScriptTypes& types) {
  return MethodWriter(operation, envelope, errors, types).write(name);
}

}  // namespace fairway::emit
