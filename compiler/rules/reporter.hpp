// Reports diagnostics of a rule and fills in the route.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "model/diagnostic.hpp"
#include "model/sent_response.hpp"
#include "model/value_members.hpp"

namespace fairway::rules {

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

/// Notes by which calls the handler reaches the function that the diagnostic is in.
inline void add_call_notes(model::Diagnostic& diagnostic,
                           const std::vector<model::HelperCall>& calls) {
  for (const model::HelperCall& call : calls) {
    diagnostic.notes.push_back(
        {call.function.empty() ? "called here" : "'" + call.function + "' is called here",
         call.range});
  }
}

/// Adds a fix that replaces `length` bytes at `offset` of a resolved string, if the source contains
/// them literally. `replacement` must not need escapes.
inline void add_fix(model::Diagnostic& diagnostic, const model::Value& text, std::size_t offset,
                    std::size_t length, std::string replacement) {
  if (const auto location = spelled_at(text, offset, length)) {
    diagnostic.fixes.push_back({*location, std::move(replacement)});
  }
}

}  // namespace fairway::rules
