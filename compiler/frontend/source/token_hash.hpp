// A hash of what the parser gets of a file. Files with equal hashes mean the same.
#pragma once

#include <clang/Lex/Token.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fairway::frontend {

/// Gets all tokens in order. Attributes that change neither types nor control flow do not count,
/// because that is what most conditions on the compiler decide: `[[nodiscard]]`, `[[gnu::cold]]`.
class TokenHash {
 public:
  void add(const clang::Token& token);
  std::uint64_t value() const { return value_; }

 private:
  void add_to_attribute(const clang::Token& token);
  void mix(std::uint64_t token);

  std::uint64_t value_ = 0;
  bool follows_bracket_ = false;  ///< the bracket is not in the value yet
  /// While an attribute is read: its tokens, the open brackets and parentheses, and those in which
  /// its names are.
  std::vector<std::uint64_t> attribute_;
  std::size_t depth_ = 0;
  std::size_t depth_of_names_ = 0;
  bool counts_ = false;
};

}  // namespace fairway::frontend
