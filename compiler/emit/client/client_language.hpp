// The languages that clients are generated in: one list for every command.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "emit/client/client_api.hpp"

namespace fairway::emit {

struct ClientLanguage {
  std::string_view name;    ///< "cpp", as written on the command line
  std::string_view title;   ///< "C++"
  std::string_view ending;  ///< of the file's name after the API's: "_client.hpp"
  /// The file's text; `name` is an identifier made of the API's name: "orders".
  std::string (*emit)(const ClientApi& api, const std::string& name);
  /// A file that all clients of the language share, beside them; none when its name is empty.
  std::string_view support_file;
  std::string (*emit_support)();
};

std::span<const ClientLanguage> client_languages();

// cpp_client.cpp: The typed C++ client of an application: a header of its own, and one that all
// clients share.

inline constexpr std::string_view kCppSupportFile = "fairway_client_support.hpp";

/// The header `kCppSupportFile`: errors, options, connections.
std::string emit_cpp_support();

/// The client's header, in the namespace `<name>_api`. It includes `kCppSupportFile`.
std::string emit_cpp_client(const ClientApi& api, const std::string& name);

// typescript_client.cpp: The typed TypeScript client of an application, as one file.

std::string emit_typescript_client(const ClientApi& api, const std::string& name);

}  // namespace fairway::emit
