#include "logging/redaction.hpp"

#include <algorithm>
#include <span>

#include "base/ascii.hpp"
#include "base/parse_number.hpp"

namespace fw::detail {
namespace {

void redact_keys(Json& value, const std::vector<std::string>& keys, const std::string& text) {
  if (value.is_array()) {
    for (Json& item : value) redact_keys(item, keys, text);
    return;
  }
  if (!value.is_object()) return;
  for (auto& member : value.items()) {
    const auto matches = [&member](const std::string& key) {
      return base::equal_ignoring_case(key, member.key());
    };
    if (std::any_of(keys.begin(), keys.end(), matches)) {
      member.value() = text;
    } else {
      redact_keys(member.value(), keys, text);
    }
  }
}

void redact_path(Json& value, std::span<const std::string> path, const std::string& text) {
  if (path.empty()) {
    value = text;
    return;
  }
  if (!value.is_structured()) return;
  if (path.front() == "*") {
    for (Json& item : value) redact_path(item, path.subspan(1), text);
  } else if (value.is_object()) {
    const auto member = value.find(path.front());
    if (member != value.end()) redact_path(*member, path.subspan(1), text);
  } else {
    const auto index = base::parse_number<std::size_t>(path.front());
    if (index && *index < value.size()) redact_path(value[*index], path.subspan(1), text);
  }
}

}  // namespace

Redaction::Redaction(const LoggerConfig& config)
    : keys_(config.redact_keys), value_(config.redact_value) {
  for (const std::string& path : config.redact_paths) {
    std::vector<std::string>& names = paths_.emplace_back();
    base::for_each_token(path, '.', [&](std::string_view name) { names.emplace_back(name); });
  }
}

void Redaction::apply(Json& fields) const {
  if (!keys_.empty()) redact_keys(fields, keys_, value_);
  for (const auto& path : paths_) redact_path(fields, path, value_);
}

}  // namespace fw::detail
