// The regular expressions of JSON Schemas.
#pragma once

#include <memory>
#include <string>

namespace re2 {
class RE2;
}

namespace fw::schema {

/// A regular expression that is not anchored. Matching takes linear time and constant stack space,
/// because clients choose the strings; therefore look-around and back-references are not supported.
/// Immutable and thread-safe.
class Pattern {
 public:
  /// Throws std::invalid_argument with the reason if the expression is invalid or not supported.
  explicit Pattern(const std::string& text);
  ~Pattern();
  Pattern(Pattern&&) noexcept;
  Pattern& operator=(Pattern&&) noexcept;

  /// Whether the expression matches some part of `text`.
  bool matches(const std::string& text) const;

 private:
  std::unique_ptr<const re2::RE2> expression_;
};

}  // namespace fw::schema
