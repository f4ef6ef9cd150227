#include "app/declaration_check.hpp"

namespace fw::detail {

std::vector<std::string> declaration_faults(const RouteOptions& options) {
  std::vector<std::string> faults;
  for (const auto& documented : options.docs.responses) {
    if (!documented.value.schema) continue;
    for (const auto& declared : options.responses) {
      if (declared.name.str() == documented.name.str()) {
        faults.push_back("the schema of '" + declared.name.str() +
                         "' is declared in responses and in docs.responses; keep the one in "
                         "responses");
      }
    }
  }
  const auto& deadline = options.timeout.deadline();
  if (deadline && deadline->count() <= 0) {
    faults.push_back("timeout is a positive number of milliseconds, or false");
  }
  if (options.override_.timeout && options.override_.timeout->count() <= 0) {
    faults.push_back("override_.timeout is a positive number of milliseconds");
  }
  return faults;
}

}  // namespace fw::detail
