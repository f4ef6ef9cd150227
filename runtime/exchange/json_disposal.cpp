#include "exchange/json_disposal.hpp"

namespace fw::detail {

void dispose_of(Json& value, int deepest) noexcept {
  if (deepest == 0) return;
  if (auto* items = value.get_ptr<Json::array_t*>()) {
    for (Json& item : *items) {
      if (item.is_structured()) dispose_of(item, deepest - 1);
    }
    items->clear();
  } else if (auto* members = value.get_ptr<Json::object_t*>()) {
    for (auto& [name, member] : *members) {
      if (member.is_structured()) dispose_of(member, deepest - 1);
    }
    members->clear();
  }
}

}  // namespace fw::detail
