#include "cli/client_name.hpp"

#include "cli/common_options.hpp"
#include "schema/ascii.hpp"

namespace fairway::cli {

std::string client_name(const Arguments& arguments, const std::string& title) {
  std::string written = identifier_option(arguments, "--client-name", "a client");
  if (!written.empty()) return written;
  std::string name;
  for (const char c : title) {
    if (fw::schema::is_alphanumeric(c)) {
      name += fw::schema::to_lower(c);
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  while (name.ends_with('_')) name.pop_back();
  return name.empty() || fw::schema::is_digit(name.front()) ? "api_" + name : name;
}

}  // namespace fairway::cli
