#include "diff/comparison.hpp"

#include <algorithm>
#include <map>

namespace fairway::diff {

std::size_t Comparison::count(Level level) const {
  return static_cast<std::size_t>(std::ranges::count(changes, level, &Change::level));
}

std::size_t Comparison::approved() const {
  return static_cast<std::size_t>(std::ranges::count_if(changes, [](const Change& change) {
    return change.level == Level::breaking && change.approved;
  }));
}

void sort_changes(Changes& changes) {
  // Approved changes are sorted like documentation changes.
  const auto weight = [](const Change& change) {
    return change.approved ? Level::documentation : change.level;
  };
  struct Group {
    Level worst = Level::documentation;
    std::size_t order = 0;
  };
  std::map<std::string, Group> groups;
  for (const Change& change : changes) {
    Group& group =
        groups.try_emplace(change.operation(), Group{weight(change), groups.size()}).first->second;
    group.worst = std::min(group.worst, weight(change));
  }
  std::ranges::stable_sort(changes, [&](const Change& one, const Change& other) {
    const Group& first = groups.at(one.operation());
    const Group& second = groups.at(other.operation());
    if (first.worst != second.worst) return first.worst < second.worst;
    if (first.order != second.order) return first.order < second.order;
    return std::pair(weight(one), one.level) < std::pair(weight(other), other.level);
  });
}

}  // namespace fairway::diff
