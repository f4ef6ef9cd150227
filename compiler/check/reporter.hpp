// How rules report: with the route that they speak of filled in.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "model/diagnostic.hpp"
#include "model/value.hpp"

namespace fairway::check {

/// Appends to a list of diagnostics; method and route are those of the route under examination.
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

/// The location of `length` bytes at `offset` of a resolved text; the whole value where its bytes
/// have no locations of their own. An empty part is shown as the character that follows.
model::Range part_of(const model::Value& text, std::size_t offset, std::size_t length);

/// The same location when the source spells these bytes one by one, in one literal and without
/// escapes: only there can they be replaced.
std::optional<model::Range> spelled_at(const model::Value& text, std::size_t offset,
                                       std::size_t length);

/// Adds the repair that replaces these bytes, where they can be replaced. `replacement` needs no
/// escapes.
void add_fix(model::Diagnostic& diagnostic, const model::Value& text, std::size_t offset,
             std::size_t length, std::string replacement);

}  // namespace fairway::check
