#include "errors/details.hpp"

#include <cmath>

namespace fw::detail {
namespace {

constexpr int kMaxDepth = 8;

Json clean(const Json& value, int depth) {
  if (value.is_structured() && depth >= kMaxDepth) return "[MaxDepth]";
  if (value.is_array()) {
    Json result = Json::array();
    for (const Json& item : value)
      result.push_back(item.is_discarded() ? Json() : clean(item, depth + 1));
    return result;
  }
  if (value.is_object()) {
    Json result = Json::object();
    for (const auto& [name, member] : value.items()) {
      if (!member.is_discarded()) result[name] = clean(member, depth + 1);
    }
    return result;
  }
  if (value.is_number_float() && !std::isfinite(value.get<double>())) return nullptr;
  return value;
}

}  // namespace

Json clean_details(const Json& details) {
  if (details.is_null() || details.is_discarded()) return nullptr;
  Json result = clean(details, 0);
  if (!result.is_structured()) return Json{{"value", std::move(result)}};
  if (result.empty()) return nullptr;
  return result;
}

}  // namespace fw::detail
