#include "schema/pattern.hpp"

#include <fmt/format.h>

#include <re2/re2.h>
#include <stdexcept>

namespace fw::schema {
namespace {

re2::RE2::Options quiet() {
  re2::RE2::Options options;
  options.set_log_errors(false);
  return options;
}

}  // namespace

Pattern::Pattern(const std::string& text)
    : expression_(std::make_unique<const re2::RE2>(text, quiet())) {
  if (!expression_->ok()) {
    throw std::invalid_argument(fmt::format(
        "the pattern '{}' is not a supported regular expression: {}", text, expression_->error()));
  }
}

Pattern::~Pattern() = default;
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;

bool Pattern::matches(const std::string& text) const {
  return re2::RE2::PartialMatch(text, *expression_);
}

}  // namespace fw::schema
