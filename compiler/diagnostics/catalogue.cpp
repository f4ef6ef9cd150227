#include "diagnostics/catalogue.hpp"

#include <algorithm>
#include <vector>

#include "diagnostics/catalogue_rows.hpp"

namespace fairway::diagnostics {

std::span<const Rule> catalogue() {
  static const std::vector<Rule> rows = [] {
    std::vector<Rule> all;
    for (const auto part : {export_rules(), registration_rules(), declaration_rules(),
                            application_rules(), lint_rules()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }();
  return rows;
}

const Rule* find_rule(std::string_view id) {
  const auto rows = catalogue();
  const auto found = std::ranges::find(rows, id, &Rule::id);
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace fairway::diagnostics
