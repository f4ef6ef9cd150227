// Reports diagnostics of a rule and fills in the route.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "model/diagnostic.hpp"
#include "model/value.hpp"

namespace fairway::check {

/// Appends diagnostics to a list, with the method and path of the current route.
class Reporter {
 public:
  explicit Reporter(model::Diagnostics& sink, std::string method = {}, std::string route = {})
      : sink_(sink), method_(std::move(method)), route_(std::move(route)) {}

  /// The reference is valid until the next call.
  model::Diagnostic& report(const model::Rule& rule, std::string message, const model::Range& range,
                            std::string help = {}) {
    model::Diagnostic& added = sink_.emplace_back();
    added.id = rule.id;
    added.severity = rule.severity;
    added.message = std::move(message);
    added.range = range;
    added.method = method_;
    added.route = route_;
    added.help = std::move(help);
    return added;
  }

 private:
  model::Diagnostics& sink_;
  std::string method_;
  std::string route_;
};

/// The source range of `length` bytes at `offset` of a resolved string, or the range of the whole
/// value if its bytes have no source locations. An empty range is extended to the next character.
model::Range part_of(const model::Value& text, std::size_t offset, std::size_t length);

/// The same range if the source contains these bytes literally, in one string literal without
/// escapes; only then can a fix replace them.
std::optional<model::Range> spelled_at(const model::Value& text, std::size_t offset,
                                       std::size_t length);

/// Adds a fix that replaces these bytes, if possible. `replacement` must not need escapes.
void add_fix(model::Diagnostic& diagnostic, const model::Value& text, std::size_t offset,
             std::size_t length, std::string replacement);

}  // namespace fairway::check
