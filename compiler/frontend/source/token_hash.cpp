#include "frontend/source/token_hash.hpp"

#include <clang/Basic/IdentifierTable.h>
#include <llvm/ADT/Hashing.h>
#include <llvm/ADT/StringRef.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace fairway::frontend {
namespace {

/// Whether a word in an attribute changes warnings, optimisation or linking only.
bool changes_nothing(llvm::StringRef word) {
  constexpr llvm::StringLiteral kWords[] = {"alloc_align",
                                            "alloc_size",
                                            "always_inline",
                                            "artificial",
                                            "assume_aligned",
                                            "clang",
                                            "cold",
                                            "const",
                                            "disable_tail_calls",
                                            "flatten",
                                            "format",
                                            "format_arg",
                                            "gnu",
                                            "gnu_inline",
                                            "guarded_by",
                                            "hot",
                                            "leaf",
                                            "lifetimebound",
                                            "likely",
                                            "malloc",
                                            "maybe_unused",
                                            "minsize",
                                            "no_instrument_function",
                                            "no_sanitize",
                                            "nodebug",
                                            "nodiscard",
                                            "noescape",
                                            "noinline",
                                            "nonnull",
                                            "nothrow",
                                            "optimize",
                                            "optnone",
                                            "pt_guarded_by",
                                            "pure",
                                            "returns_nonnull",
                                            "sentinel",
                                            "unlikely",
                                            "unused",
                                            "used",
                                            "visibility",
                                            "warn_unused_result"};
  if (word.starts_with("__") && word.ends_with("__") && word.size() > 4) {
    word = word.drop_front(2).drop_back(2);
  }
  return std::binary_search(std::begin(kWords), std::end(kWords), word);
}

std::uint64_t hash_of(const clang::Token& token) {
  if (const auto* name = token.getIdentifierInfo()) return llvm::hash_value(name->getName());
  if (token.isLiteral() && token.getLiteralData() != nullptr) {
    return llvm::hash_value(llvm::StringRef(token.getLiteralData(), token.getLength()));
  }
  return token.getKind();
}

}  // namespace

void TokenHash::add(const clang::Token& token) {
  if (token.isAnnotation()) return;  // a pragma
  if (depth_of_names_ > 0) return add_to_attribute(token);
  const bool is_bracket = token.is(clang::tok::l_square);
  if (std::exchange(follows_bracket_, false)) {
    if (is_bracket) {
      attribute_ = {hash_of(token), hash_of(token)};
      depth_ = depth_of_names_ = 2;
      counts_ = false;
      return;
    }
    mix(clang::tok::l_square);
  }
  if (is_bracket) {
    follows_bracket_ = true;
  } else if (token.is(clang::tok::kw___attribute)) {
    attribute_ = {hash_of(token)};
    depth_ = 0;
    depth_of_names_ = 2;
    counts_ = false;
  } else {
    mix(hash_of(token));
  }
}

void TokenHash::add_to_attribute(const clang::Token& token) {
  attribute_.push_back(hash_of(token));
  const auto* name = token.getIdentifierInfo();
  if (token.isOneOf(clang::tok::l_square, clang::tok::l_paren, clang::tok::l_brace)) ++depth_;
  if (token.isOneOf(clang::tok::r_square, clang::tok::r_paren, clang::tok::r_brace) && depth_ > 0) {
    --depth_;
  }
  if (depth_ == depth_of_names_ && name != nullptr) {
    counts_ = counts_ || !changes_nothing(name->getName());
  }
  if (depth_ > 0) return;
  depth_of_names_ = 0;
  if (!counts_) return;
  for (const std::uint64_t each : attribute_) mix(each);
}

void TokenHash::mix(std::uint64_t token) { value_ = llvm::hash_combine(value_, token); }

}  // namespace fairway::frontend
