#include <fmt/format.h>

#include <iterator>
#include <string>
#include <vector>

#include "emit/clients/client_language.hpp"
#include "emit/clients/cpp/cpp_parts.hpp"
#include "emit/source_parts.hpp"
#include "files/input.hpp"
#include "model/cpp_names.hpp"

namespace fairway::emit {
namespace {

// The names that the support header declares for users and for argument-dependent lookup.
constexpr std::string_view kShared[] = {"ResponseInfo",      "ApiError",     "Box",
                                        "CallOptions",       "ClientError",  "ClientOptions",
                                        "CookieJar",         "ErrorCode",    "FieldError",
                                        "FilePart",          "Headers",      "Json",
                                        "RawBody",           "RetryOptions", "Stream",
                                        "StreamOptions",     "TlsOptions",   "TransportError",
                                        "ValidationFailure", "from_json",    "from_string",
                                        "to_json",           "to_string"};

// The names that it declares for sockets. Only clients with sockets have them, so that others may
// have types with these names.
constexpr std::string_view kSharedOfSockets[] = {"NoMessage",     "RawMessage",    "Socket",
                                                 "SocketClose",   "SocketClosed",  "SocketControl",
                                                 "SocketFailure", "SocketOptions", "SocketSender"};

std::vector<std::string_view> shared_names(const ClientApi& api) {
  std::vector<std::string_view> names(std::begin(kShared), std::end(kShared));
  if (api.has_sockets()) {
    names.insert(names.end(), std::begin(kSharedOfSockets), std::end(kSharedOfSockets));
  }
  return names;
}

model::NameScope namespace_scope(const ClientApi& api, const std::string& class_name) {
  model::NameScope scope(
      {class_name, "detail", "enum_values", "fairway_client", "httplib", "nlohmann", "std"});
  for (const std::string_view name : shared_names(api)) scope.add(std::string(name));
  return scope;
}

// The suffix avoids conflicts with keywords and with names of C and C++, such as `log`.
std::string namespace_name(const std::string& name) {
  return model::cpp_name(name.ends_with("_api") ? name : name + "_api");
}

std::string using_declarations(const ClientApi& api) {
  std::string text;
  for (const std::string_view name : shared_names(api))
    text += fmt::format("using fairway_client::{};\n", name);
  return text;
}

// A hash of the support header.
std::string support_version() {
  static const std::uint64_t hash =
      files::content_hash(std::string(cpp_support()).append(cpp_socket_support()));
  return fmt::format("0x{:016x}U", hash);
}

/// The exceptions for the codes that the document lists.
struct ErrorClasses {
  std::vector<std::string> names = {};  ///< in the order of `ClientApi::errors`
  std::string declarations = {};
  std::string rows = {};  ///< of `detail::KnownError`
};

ErrorClasses error_classes(const ClientApi& api, model::NameScope& names) {
  ErrorClasses classes;
  for (const ClientErrorCode& error : api.errors) {
    const std::string name = names.add(model::cpp_name(error.name));
    const std::string code = error.code.is_string()
                                 ? string_literal(error.code.get<std::string>())
                                 : fmt::format("std::int64_t{{{}}}", error.code.dump());
    append_block(classes.declarations,
                 fill(R"(
/// The code $code$.
class $name$ : public ApiError {
 public:
  using ApiError::ApiError;
};
)",
                      {{"code", comment_text(error.code.dump())}, {"name", name}}));
    classes.rows += fmt::format("{{ErrorCode({}), detail::raise<{}>}},\n", code, name);
    classes.names.push_back(name);
  }
  return classes;
}

std::string known_errors(const std::string& rows) {
  if (rows.empty()) return {};
  return fill(R"(
static std::vector<detail::KnownError> known_errors() {
  return {
      $rows$
  };
}
)",
              {{"rows", rows}});
}

std::string title(const ClientApi& api) {
  std::string text = "The client of " + (api.title.empty() ? "this API" : api.title);
  if (!api.version.empty()) text += " " + api.version;
  text += ".";
  if (!api.description.empty()) text += "\n\n" + api.description;
  return text;
}

}  // namespace

std::string emit_cpp_support() {
  return fill(R"(
$banner$
//
// All clients of a program share it, so that their errors have the same types.
#ifndef FAIRWAY_CLIENT_SUPPORT
#define FAIRWAY_CLIENT_SUPPORT $version$

#include <httplib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <deque>
#include <exception>
#include <functional>
#include <iomanip>
#include <iterator>
#include <limits>
#include <locale>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <random>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace fairway_client {
// The parts of a program may use different versions.
inline namespace $inline$ {

$support$

}  // namespace $inline$
}  // namespace fairway_client

#elif FAIRWAY_CLIENT_SUPPORT != $version$
#error "two clients with different versions of $file$: generate them with one version of Fairway"
#endif

// A client with sockets defines FAIRWAY_CLIENT_WITH_SOCKETS: others need not compile this part.
#if defined(FAIRWAY_CLIENT_WITH_SOCKETS) && !defined(FAIRWAY_CLIENT_SOCKETS)
#define FAIRWAY_CLIENT_SOCKETS

#ifndef _WIN32
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#endif

namespace fairway_client {
inline namespace $inline$ {

$socket_support$

}  // namespace $inline$
}  // namespace fairway_client

#endif  // FAIRWAY_CLIENT_SOCKETS
)",
              {{"banner", banner("//", "Support code of the C++ clients that Fairway generates")},
               {"version", support_version()},
               {"inline", "v" + support_version().substr(2, 16)},
               {"support", std::string(cpp_support())},
               {"socket_support", std::string(cpp_socket_support())},
               {"file", std::string(kCppSupportFile)}});
}

std::string emit_cpp_client(const ClientApi& api, const std::string& name) {
  const std::string class_name = model::pascal_case(name) + "Client";
  model::NameScope names = namespace_scope(api, class_name);
  CppTypes types(api.schemas, names);
  const ErrorClasses errors = error_classes(api, names);
  model::NameScope methods = names;
  methods.add("transport_");
  std::string requests;
  std::string method_texts;
  for (const ClientOperation& operation : api.operations) {
    const CppOperation texts =
        cpp_operation(operation, api.envelope, errors.names, types, names, methods);
    append_block(requests, texts.request);
    append_block(requests, texts.result);
    append_block(method_texts, texts.method);
  }
  return fill(
      R"(
$banner$
//
//   $space$::$class$ client({.base_url = "https://api.example.com", .token = "..."});
//
// C++20. Requires $support$ in the same directory, cpp-httplib and nlohmann/json.
#pragma once

$sockets$
#include "$support$"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#if FAIRWAY_CLIENT_SUPPORT != $version$
#error "$support$ is of another version of Fairway than this client"
#endif

namespace $space$ {

$shared$
namespace detail = fairway_client::detail;

$types$

$requests$

$comment$
///
/// Methods throw ApiError (ValidationFailure for invalid input), TransportError, and
/// std::invalid_argument for arguments that cannot be sent. They may be called from several threads
/// at once; connections are kept and reused.
class $class$ {
 public:
  /// Throws std::invalid_argument for an invalid base URL or header. Sends nothing.
  explicit $class$(ClientOptions options)
      : transport_(std::make_unique<detail::Transport>($arguments$)) {}

  $methods$

 private:
  $members$
};

}  // namespace $space$
)",
      {{"banner",
        banner("//", "C++ client of " + comment_text(api.title.empty() ? name : api.title))},
       {"space", namespace_name(name)},
       {"class", class_name},
       {"sockets", api.has_sockets() ? "#define FAIRWAY_CLIENT_WITH_SOCKETS" : ""},
       {"support", std::string(kCppSupportFile)},
       {"version", support_version()},
       {"shared", using_declarations(api)},
       {"arguments",
        errors.rows.empty() ? "std::move(options)" : "std::move(options), known_errors()"},
       {"members",
        joined({known_errors(errors.rows), "std::unique_ptr<detail::Transport> transport_;\n"})},
       {"types", joined({errors.declarations, types.declarations()})},
       {"requests", requests},
       {"comment", doc_comment(title(api))},
       {"methods", method_texts}});
}

}  // namespace fairway::emit
