#include <cmath>

#include "base/tree_guard.hpp"
#include "errors/messages.hpp"

namespace fw::detail {
namespace {

constexpr int kMaxDepth = 8;

/// Replaces `result`.
void clean(const Json& value, int depth, Json& result) {
  if (value.is_structured() && depth >= kMaxDepth) {
    result = "[MaxDepth]";
  } else if (value.is_array()) {
    result = Json::array();
    for (const Json& item : value) {
      Json& cleaned = result.emplace_back();
      if (!item.is_discarded()) clean(item, depth + 1, cleaned);
    }
  } else if (value.is_object()) {
    result = Json::object();
    for (const auto& [name, member] : value.items()) {
      if (!member.is_discarded()) clean(member, depth + 1, result[name]);
    }
  } else if (!value.is_number_float() || std::isfinite(value.get<double>())) {
    result = value;
  }
}

}  // namespace

Json clean_details(const Json& details) {
  if (details.is_null() || details.is_discarded()) return nullptr;
  return base::make_tree([&](Json& result) {
    clean(details, 0, details.is_structured() ? result : result["value"]);
    if (result.empty()) result = nullptr;
  });
}

}  // namespace fw::detail
