#include "cli/client_name.hpp"

#include "schema/ascii.hpp"

namespace fairway::cli {
namespace {

bool is_identifier(const std::string& name) {
  if (name.empty() || (name.front() >= '0' && name.front() <= '9')) return false;
  for (const char c : name) {
    if (!fw::schema::is_alphanumeric(c) && c != '_') return false;
  }
  return true;
}

}  // namespace

std::string client_name(const Arguments& arguments, const std::string& title) {
  const std::string written = arguments.get("--client-name");
  if (!written.empty()) {
    if (is_identifier(written)) return written;
    throw UsageError("'" + written + "' cannot name a client: write letters, digits and '_'");
  }
  std::string name;
  for (const char c : title) {
    if (fw::schema::is_alphanumeric(c)) {
      name += fw::schema::to_lower(c);
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  while (name.ends_with('_')) name.pop_back();
  return is_identifier(name) ? name : "api_" + name;
}

}  // namespace fairway::cli
