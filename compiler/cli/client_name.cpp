#include "base/ascii.hpp"
#include "cli/document_options.hpp"

namespace fairway::cli {

void ClientNameOption::declare(const OptionGroup& group) {
  group.identifier("--client-name", "NAME", name,
                   "name that the client is made with: 'orders' makes the class OrdersClient; "
                   "default: derived from the title");
}

std::string ClientNameOption::resolved(const std::string& title) const {
  if (!name.empty()) return name;
  std::string made;
  for (const char c : title) {
    if (fw::base::is_alphanumeric(c)) {
      made += fw::base::to_lower(c);
    } else if (!made.empty() && made.back() != '_') {
      made += '_';
    }
  }
  while (made.ends_with('_')) made.pop_back();
  return made.empty() || fw::base::is_digit(made.front()) ? "api_" + made : made;
}

}  // namespace fairway::cli
