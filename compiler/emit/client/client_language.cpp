#include "emit/client/client_language.hpp"

#include <array>

#include "emit/client/cpp_client.hpp"
#include "emit/client/typescript_client.hpp"

namespace fairway::emit {

std::span<const ClientLanguage> client_languages() {
  static constexpr std::array<ClientLanguage, 2> kLanguages = {{
      {"cpp", "C++", "_client.hpp", emit_cpp_client, kCppSupportFile, emit_cpp_support},
      {"ts", "TypeScript", ".ts", emit_typescript_client, {}, nullptr},
  }};
  return kLanguages;
}

}  // namespace fairway::emit
