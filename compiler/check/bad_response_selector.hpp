// [bad-response-selector] A selector is a status, a family or "default", once each.
#pragma once

#include <string_view>

#include "check/reporter.hpp"

namespace fairway::check {

/// "201", "2xx" or "default".
bool is_response_selector(std::string_view text);

/// Reports the selectors of a named list (`responses` or `docs.responses`) that are none, and
/// those that stand twice.
void check_response_selectors(const model::Value& responses, Reporter& reporter);

}  // namespace fairway::check
