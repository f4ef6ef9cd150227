#include "diagnostics/report.hpp"

#include <algorithm>
#include <tuple>

namespace fairway::diagnostics {
namespace {

std::size_t count(const model::Diagnostics& diagnostics, model::Severity severity) {
  return static_cast<std::size_t>(
      std::ranges::count(diagnostics, severity, &model::Diagnostic::severity));
}

auto key(const model::Diagnostic& diagnostic) {
  return std::tie(diagnostic.range, diagnostic.id, diagnostic.message, diagnostic.route,
                  diagnostic.method);
}

auto place(const model::Note& note) { return std::tie(note.range, note.message); }

}  // namespace

std::size_t Report::errors() const { return count(diagnostics, model::Severity::error); }
std::size_t Report::warnings() const { return count(diagnostics, model::Severity::warning); }

void sort_diagnostics(model::Diagnostics& diagnostics) {
  std::ranges::stable_sort(
      diagnostics, [](const auto& left, const auto& right) { return key(left) < key(right); });
  // An error in a constant or a re-exported file that several routes share is reported once; one in
  // a function is reported for each handler whose calls lead to it.
  const auto same = [](const auto& left, const auto& right) {
    return left.range == right.range && left.id == right.id && left.message == right.message &&
           std::ranges::equal(left.notes, right.notes, {}, place, place);
  };
  diagnostics.erase(std::unique(diagnostics.begin(), diagnostics.end(), same), diagnostics.end());
}

}  // namespace fairway::diagnostics
