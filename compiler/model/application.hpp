// The resolved application, the input of every emitter. Plain data without Clang types.
#pragma once

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/cpp_type.hpp"
#include "model/range.hpp"
#include "model/sent_response.hpp"
#include "schema/node.hpp"
#include "schema/operation_security.hpp"

namespace fairway::model {

using Json = nlohmann::ordered_json;

/// The schema of a C++ type in responses.
struct TypeSchema {
  Json json;                   ///< as JSON Schema; its structs and enumerations are in `$defs`
  fw::schema::Node node = {};  ///< the same
};

/// Schemas of one request location ("param", "query", "header", "cookie", "body"). An object node,
/// except for a body that a C++ type declares.
struct LocationSchema {
  std::string location;
  fw::schema::Node schema;
  Range range;
  std::string type = {};  ///< the C++ type that is the schema; empty: it is written out
  Json type_json = {};    ///< the JSON Schema of that type; null if there is none
};

/// A schema in the schema language, a JSON Schema, or the schema of a C++ type.
using Schema = std::variant<fw::schema::Node, Json, TypeSchema>;

/// Null for a JSON Schema.
inline const fw::schema::Node* node_of(const Schema& schema) {
  const auto* type = std::get_if<TypeSchema>(&schema);
  return type != nullptr ? &type->node : std::get_if<fw::schema::Node>(&schema);
}

/// What a stream or a socket consists of: the events or messages with one name, or lines.
struct StreamItem {
  std::string name;  ///< of an event or a message; empty for lines
  Schema schema;
  std::string type = {};  ///< the C++ type that is the schema; empty: it is written out
};

inline constexpr std::string_view kEventsType = "text/event-stream";
inline constexpr std::string_view kLinesType = "application/x-ndjson";

/// A response that is sent item by item: `fw::events`, `fw::lines`.
struct Stream {
  enum class Format { events, lines };
  Format format = Format::events;
  std::vector<StreamItem> items;  ///< of lines: one

  std::string_view media_type() const {
    return format == Format::events ? kEventsType : kLinesType;
  }
};

/// The messages of a route of `app.socket`, in the directions of the server.
struct Socket {
  std::vector<StreamItem> receive = {};
  std::vector<StreamItem> send = {};
  bool receives_raw = false;                ///< `fw::raw`: any text and any bytes
  bool sends_raw = false;                   ///< the same
  std::vector<std::string> protocols = {};  ///< `socket.protocols`
};

/// A schema of `responses`.
struct ResponseSchema {
  std::string selector;  ///< "201", "2xx", "default"
  Schema schema;         ///< of the data; of a stream: anything
  Range range;
  std::string type = {};     ///< the C++ type that is the schema; empty: it is written out
  bool is_inferred = false;  ///< from what the handler returns or sends, not from `responses`
  std::optional<Stream> stream = {};
};

struct MiddlewareReference {
  std::string name;
  Json options;  ///< null if there are none
  Range range;
  /// The range of the name without quotes, if a fix can replace it.
  std::optional<Range> name_range = {};
};

/// One entry of `docs.responses`.
struct DocumentedResponse {
  std::string selector;
  std::string description;
  std::optional<Schema> schema;
  std::string content_type;
  Json example;                    ///< null if absent
  Json examples = Json::object();  ///< name to {summary?, description?, value}
  Json headers = Json::object();   ///< name to {description?, schema?}
  Range range;
};

/// `docs` of RouteOptions.
struct Documentation {
  std::string summary;
  std::string description;
  std::vector<std::string> tags;  ///< explicit, or inferred from the file's path
  bool tags_inferred = true;
  bool hidden = false;
  bool deprecated = false;
  std::optional<Json> security;  ///< in the form of OpenAPI; empty if not declared
  Json extensions = Json::object();
  std::vector<DocumentedResponse> responses;
  Json access;  ///< null if absent
  Json request_body;
};

/// A documented file of a multipart form.
struct FileField {
  std::string name;
  std::string description;
  bool required = false;
};

enum class AuthKind { unset, disabled, required, requirement };

/// The parts of `auth` that documents need; of functions, only their presence is recorded.
struct Auth {
  /// Whether the route denies some requests.
  bool guards() const {
    return kind == AuthKind::required || (kind == AuthKind::requirement && needs.anything());
  }

  AuthKind kind = AuthKind::unset;
  fw::schema::AuthNeeds needs = {};
  std::optional<Json> security;  ///< in the form of OpenAPI; documentation only
};

/// The name of a page where a route refers to it.
struct PageReference {
  std::string name;
  Range range;
  /// The range of the name without quotes, if a fix can replace it.
  std::optional<Range> name_range = {};
  bool needs_script = false;  ///< `frontend.client_only`
};

/// `objective` of a route.
struct Objective {
  std::optional<std::int64_t> p99 = {};     ///< milliseconds
  std::optional<double> availability = {};  ///< percent
};

struct Route {
  std::string method;  ///< `fw::base::kSocketMethod` for a socket; see `request_method`
  std::string subpath;
  std::string path;  ///< final, normalised: "/users/:id"
  std::string operation_id;
  bool operation_id_inferred = true;
  Range operation_id_range;              ///< of the explicit id, otherwise of the path
  std::vector<LocationSchema> validate;  ///< in the order param, query, header, cookie, body
  std::vector<ResponseSchema> responses;
  std::vector<MiddlewareReference> middlewares;
  Auth auth;
  Documentation docs;
  std::vector<FileField> files;      ///< `multipart.files`
  Objective objective;               ///< what alert rules are written from
  bool has_timeout = false;          ///< has its own deadline, and may respond with 504
  bool proxies = false;              ///< its handler calls `app.fetch.proxy`
  std::vector<SentResponse> sent;    ///< what its handler sends, as far as the source shows
  bool sends_others = true;          ///< other responses than `sent` are possible
  std::vector<PageReference> pages;  ///< `frontend.page`, and those that its handler renders
  std::optional<Schema> page_data;   ///< `frontend.data`
  std::optional<Socket> socket;      ///< of a route of `app.socket`
  Range page_data_range;             ///< of its name, or of `frontend.static_params`
  Json options =
      Json::object();  ///< every option, with the names of configuration files; functions are
                       ///< {"$function": true}
  /// Schemas of what the handler returns and sends, by status, in the form of `options.responses`.
  Json inferred_responses = Json::object();
  std::uint64_t fingerprint = 0;  ///< of the effective declaration, see schema/fingerprint.hpp
  std::string option_digests;     ///< see schema/fingerprint.hpp
  Range range;                    ///< the registration
  Range path_range;

  /// The schema of a request location; null if the route declares none.
  const LocationSchema* schema_of(std::string_view location) const {
    const auto found = std::ranges::find(validate, location, &LocationSchema::location);
    return found == validate.end() ? nullptr : &*found;
  }
  /// The schema of `responses` for a status; null if it has none.
  const ResponseSchema* declared_for(int status) const {
    const std::string text = std::to_string(status);
    for (const std::string& selector : {text, text.substr(0, 1) + "xx", std::string("default")}) {
      const auto found = std::ranges::find_if(responses, [&](const ResponseSchema& response) {
        return response.selector == selector && !response.is_inferred;
      });
      if (found != responses.end()) return &*found;
    }
    return nullptr;
  }
  /// Whether `responses`, `docs.responses` or a stream that the handler returns say what a success
  /// is.
  bool declares_success() const {
    const auto is_success = [](std::string_view selector) {
      return selector == "default" || selector.starts_with('1') || selector.starts_with('2') ||
             selector.starts_with('3');
    };
    const auto declares = [&](const ResponseSchema& response) {
      return (!response.is_inferred || response.stream) && is_success(response.selector);
    };
    return std::ranges::any_of(responses, declares) ||
           std::ranges::any_of(docs.responses, is_success, &DocumentedResponse::selector);
  }
  /// The method of its requests: sockets are opened with GET.
  std::string request_method() const { return socket ? "GET" : method; }
  /// Whether structs are generated for the route: for schemas that no C++ type declares.
  bool has_generated_types() const {
    const auto is_written_out = [](const auto& schema) { return schema.type.empty(); };
    if (socket && (std::ranges::any_of(socket->receive, is_written_out) ||
                   std::ranges::any_of(socket->send, is_written_out))) {
      return true;
    }
    const auto has_types = [&](const ResponseSchema& response) {
      if (!response.stream) return is_written_out(response);
      return std::ranges::any_of(response.stream->items, is_written_out);
    };
    return std::ranges::any_of(validate, is_written_out) ||
           std::ranges::any_of(responses, has_types);
  }
  /// The response that is a stream; null if there is none.
  const ResponseSchema* streamed() const {
    const auto found = std::ranges::find_if(
        responses, [](const ResponseSchema& response) { return response.stream.has_value(); });
    return found == responses.end() ? nullptr : &*found;
  }
};

struct RouteFile {
  std::string path;          ///< below the source directory: "routes/api/users.cpp"
  std::string display_path;  ///< as diagnostics show it; depends on the working directory
  std::string prefix;        ///< "/api/users", "/" for an index at the top
  std::string export_path;   ///< the file whose default export is served: `path`, or the end of the
                             ///< re-export chain
  Range export_range;        ///< the default export, or the re-export
  std::vector<Route> routes;
};

/// A middleware or plugin file: its name is the file name without the extension.
struct Component {
  std::string path;
  std::string name;
};

/// Version of the format of `routes.manifest.json`. Within a version, members may be added, but are
/// never renamed.
inline constexpr int kManifestVersion = 1;

/// A template, script or style sheet of pages/.
struct PageFile {
  std::string path;          ///< below pages/: "products/list.html"
  std::string display_path;  ///< as diagnostics show it; depends on the working directory
  std::string content;
};

/// A C++ type for which code is generated.
struct TypeCode {
  CppType type;
  std::string file;        ///< the route file that defines it, below the source directory; empty:
                           ///< a header does
  bool is_input = false;   ///< read from requests
  bool is_output = false;  ///< written to responses
};

/// A type that the table names.
struct UsedType {
  TypeUse use;
  std::string file;  ///< the route file that defines it or a part of it; empty: headers do
};

struct Application {
  std::string name;              ///< of `--name`; empty for a program's only application
  std::string source_name;       ///< last component of the source directory: "src"
  std::vector<RouteFile> files;  ///< sorted by path
  std::vector<Component> middlewares;
  std::vector<Component> plugins;
  std::vector<PageFile> pages;           ///< sorted by path
  std::vector<TypeCode> types = {};      ///< for which code is generated, sorted by name
  std::vector<UsedType> type_uses = {};  ///< sorted by name
};

}  // namespace fairway::model
