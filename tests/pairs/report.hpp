// What the checks have found: violations by invariant and rule, with the smallest application that
// shows each of them, and the table at the end.
#pragma once

#include <concepts>
#include <cstddef>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include "message.hpp"

namespace pairs {

/// A rule is one way in which an invariant is checked: "private-stays-private/shared-cache". Rules
/// are listed in README.md with the failures that they find.
class Report {
 public:
  /// The features of the application whose responses follow: "cache + session".
  void begin_application(std::string features, std::size_t feature_count);
  void count_request() { ++requests_; }

  /// Counts a check, and a violation unless it holds. `expected` says what should have been, and
  /// `shown` the requests and responses that show it; both are only called for a violation.
  template <std::invocable Expected, std::invocable Shown>
  bool check(std::string_view rule, bool holds, const Expected& expected, const Shown& shown) {
    ++checks_[std::string(invariant_of(rule))];
    if (!holds) add_violation(rule, expected(), shown());
    return holds;
  }
  bool check(std::string_view rule, bool holds, std::string_view expected,
             const Exchange& exchange) {
    return check(
        rule, holds, [&] { return std::string(expected); }, [&] { return describe(exchange); });
  }
  bool check(std::string_view rule, bool holds, std::string_view expected, const Exchange& first,
             const Exchange& second) {
    return check(
        rule, holds, [&] { return std::string(expected); },
        [&] { return describe(first) + "    and\n" + describe(second); });
  }

  /// "secrets-stay" of "secrets-stay/in-response".
  static std::string_view invariant_of(std::string_view rule) {
    return rule.substr(0, rule.find('/'));
  }

  bool has_violations() const { return !violations_.empty(); }
  /// Writes the violations, one example for each rule, and the table of invariants.
  void write(std::ostream& out, double seconds) const;

 private:
  struct Violation {
    std::size_t count = 0;
    std::map<std::string, std::size_t> applications;
    std::string features;  ///< of the example
    std::size_t feature_count = 0;
    std::string expected;
    std::string shown;
  };

  void add_violation(std::string_view rule, std::string expected, std::string shown);

  std::string features_;
  std::size_t feature_count_ = 0;
  std::size_t applications_ = 0;
  std::size_t requests_ = 0;
  std::map<std::string, std::size_t> checks_;
  std::map<std::string, Violation> violations_;  ///< by rule
};

}  // namespace pairs
