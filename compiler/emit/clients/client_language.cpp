#include "emit/clients/client_language.hpp"

#include <array>

namespace fairway::emit {

std::span<const ClientLanguage> client_languages() {
  static constexpr std::array<ClientLanguage, 2> kLanguages = {{
      {"cpp", "C++", "_client.hpp", emit_cpp_client, kCppSupportFile, emit_cpp_support},
      {"ts", "TypeScript", ".ts", emit_typescript_client, {}, nullptr},
  }};
  return kLanguages;
}

}  // namespace fairway::emit
