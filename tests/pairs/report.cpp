#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace pairs {
namespace {

constexpr std::size_t kShownApplications = 6;

/// The applications with the fewest features, as "a; b; c and 12 more".
std::string summary(const std::map<std::string, std::size_t>& applications) {
  std::vector<std::string> names;
  for (const auto& [name, count] : applications) names.push_back(name);
  const auto features = [](const std::string& name) {
    return std::count(name.begin(), name.end(), '+');
  };
  std::ranges::stable_sort(names, {}, features);
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kShownApplications); ++i) {
    text += (i == 0 ? "" : "; ") + names[i];
  }
  if (names.size() <= kShownApplications) return text;
  return text + fmt::format(" and {} more", names.size() - kShownApplications);
}

}  // namespace

void Report::begin_application(std::string features, std::size_t feature_count) {
  features_ = std::move(features);
  feature_count_ = feature_count;
  ++applications_;
}

void Report::add_violation(std::string_view rule, std::string expected, std::string shown) {
  Violation& violation = violations_[std::string(rule)];
  const bool is_simplest = violation.count == 0 || feature_count_ < violation.feature_count;
  ++violation.count;
  ++violation.applications[features_];
  if (!is_simplest) return;
  violation.features = features_;
  violation.feature_count = feature_count_;
  violation.expected = std::move(expected);
  violation.shown = std::move(shown);
}

void Report::write(std::ostream& out, double seconds) const {
  for (const auto& [rule, violation] : violations_) {
    out << fmt::format("VIOLATION {}: {} times, in {} applications\n", rule, violation.count,
                       violation.applications.size());
    out << fmt::format("  applications: {}\n", summary(violation.applications));
    out << fmt::format("  example: {}\n  expected: {}\n{}\n", violation.features,
                       violation.expected, violation.shown);
  }
  std::map<std::string, std::size_t> violated;
  std::size_t all_checks = 0;
  std::size_t all_violations = 0;
  for (const auto& [rule, violation] : violations_) {
    violated[std::string(invariant_of(rule))] += violation.count;
    all_violations += violation.count;
  }
  out << fmt::format("{:<24} {:>9} {:>11}\n", "invariant", "checks", "violations");
  for (const auto& [invariant, count] : checks_) {
    all_checks += count;
    out << fmt::format("{:<24} {:>9} {:>11}\n", invariant, count, violated[invariant]);
  }
  out << fmt::format(
      "{} applications, {} requests, {} checks of {} invariants, {} violations of {} rules, "
      "{:.1f} s\n",
      applications_, requests_, all_checks, checks_.size(), all_violations, violations_.size(),
      seconds);
}

}  // namespace pairs
