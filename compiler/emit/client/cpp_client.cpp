#include "emit/client/cpp_client.hpp"

#include <fmt/format.h>

#include <vector>

#include "emit/client/cpp_comments.hpp"
#include "emit/client/cpp_operations.hpp"
#include "emit/client/cpp_support.hpp"
#include "emit/client/cpp_types.hpp"
#include "emit/cpp_names.hpp"
#include "emit/source_parts.hpp"
#include "emit/template.hpp"

namespace fairway::emit {
namespace {

// What the fixed part declares, and what the generated part names.
Scope namespace_scope(const std::string& class_name) {
  return Scope({class_name,          "AnswerInfo",   "ApiError",      "Box",
                "CallOptions",       "ClientError",  "ClientOptions", "ErrorCode",
                "FieldError",        "FilePart",     "Headers",       "Json",
                "RawBody",           "RetryOptions", "TlsOptions",    "TransportError",
                "ValidationFailure", "detail",       "enum_values",   "from_json",
                "from_string",       "httplib",      "nlohmann",      "std",
                "to_json",           "to_string"});
}

std::string namespace_name(const std::string& name) {
  const bool hides = name == "std" || name == "httplib" || name == "nlohmann" || name == "detail";
  return cpp_name(name) + (hides ? "_api" : "");
}

std::string title(const ClientApi& api) {
  std::string text = "The client of " + (api.title.empty() ? "this API" : api.title);
  if (!api.version.empty()) text += " " + api.version;
  text += ".";
  if (!api.description.empty()) text += "\n\n" + api.description;
  return text;
}

}  // namespace

std::string emit_cpp_client(const ClientApi& api, const std::string& name) {
  const std::string class_name = type_name(name) + "Client";
  Scope names = namespace_scope(class_name);
  CppTypes types(api.schemas, names);
  Scope methods = names;
  methods.add("transport_");
  std::string requests;
  std::string method_texts;
  for (const ClientOperation& operation : api.operations) {
    const CppOperation texts = cpp_operation(operation, api.envelope, types, names, methods);
    append_block(requests, texts.request);
    append_block(requests, texts.result);
    append_block(method_texts, texts.method);
  }
  return fill(R"(
$banner$
//
//   $space$::$class$ client({.base_url = "https://api.example.com", .token = "..."});
//
// C++20, with cpp-httplib and nlohmann/json and nothing else.
#pragma once

#include <httplib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <exception>
#include <functional>
#include <iomanip>
#include <limits>
#include <locale>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <set>
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

namespace $space$ {

$support$

// What follows is of this API.

$types$

$requests$

$comment$
///
/// Methods throw ApiError (ValidationFailure for input that does not fit), TransportError, and
/// std::invalid_argument for what cannot be sent. They may be called from several threads at once;
/// connections are kept and used again.
class $class$ {
 public:
  /// Throws std::invalid_argument for a wrong base URL or header. Nothing is sent.
  explicit $class$(ClientOptions options)
      : transport_(std::make_unique<detail::Transport>(std::move(options))) {}

  $methods$

 private:
  std::unique_ptr<detail::Transport> transport_;
};

}  // namespace $space$
)",
              {{"banner", banner("//", "C++ client of " +
                                           comment_text(api.title.empty() ? name : api.title))},
               {"space", namespace_name(name)},
               {"class", class_name},
               {"support", std::string(cpp_support())},
               {"types", types.declarations()},
               {"requests", requests},
               {"comment", doc_comment(title(api))},
               {"methods", method_texts}});
}

}  // namespace fairway::emit
