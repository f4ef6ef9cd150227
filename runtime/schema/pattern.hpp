// Regular expressions of JSON Schemas.
#pragma once

#include <memory>
#include <string>

namespace re2 {
class RE2;
}

namespace fw::schema {

/// A regular expression such as those of `patternProperties`, not anchored. Matching takes time
/// linear in the text and constant stack, since clients choose what is matched; therefore neither
/// look-around nor back-references are supported. Immutable: threads may share it.
class Pattern {
 public:
  /// Throws std::invalid_argument, with the reason, for what is no regular expression or is not
  /// supported.
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
