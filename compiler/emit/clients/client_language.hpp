// The languages of generated clients, one list for all commands.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "emit/clients/client_api.hpp"

namespace fairway::emit {

struct ClientLanguage {
  std::string_view name;    ///< the name on the command line: "cpp"
  std::string_view title;   ///< "C++"
  std::string_view ending;  ///< the end of the file name after the name of the API: "_client.hpp"
  /// Generates the file; `name` is an identifier derived from the API's name: "orders".
  std::string (*emit)(const ClientApi& api, const std::string& name);
  /// A file that all clients of the language share; empty if there is none.
  std::string_view support_file;
  std::string (*emit_support)();
};

std::span<const ClientLanguage> client_languages();

// cpp_client.cpp: The typed C++ client of an application: a header for the API, and a header that
// all clients share.

inline constexpr std::string_view kCppSupportFile = "fairway_client_support.hpp";

/// The header `kCppSupportFile`: errors, options, connections.
std::string emit_cpp_support();

/// The client's header, in the namespace `<name>_api`. It includes `kCppSupportFile`.
std::string emit_cpp_client(const ClientApi& api, const std::string& name);

// typescript_client.cpp: The typed TypeScript client of an application, as one file.

std::string emit_typescript_client(const ClientApi& api, const std::string& name);

}  // namespace fairway::emit
