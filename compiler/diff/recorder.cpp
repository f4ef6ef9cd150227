#include "diff/recorder.hpp"

#include <stdexcept>
#include <utility>

#include "diff/change_catalogue.hpp"

namespace fairway::diff {

Location Location::member(std::string_view name) const {
  std::string longer = path;
  if (!longer.empty()) longer += '.';
  return {part, longer.append(name)};
}

void Recorder::add(std::string_view id, const Location& location, const Node& before,
                   const Node& after, std::string message) {
  const ChangeKind* kind = find_change(id);
  if (kind == nullptr) throw std::logic_error("no change '" + std::string(id) + "'");
  const bool is_gone = !after;
  changes_.push_back({.id = kind->id,
                      .level = kind->level,
                      .method = method_,
                      .path = path_,
                      .metric = metric_,
                      .location = location.text(),
                      .pointer = is_gone ? before.pointer : after.pointer,
                      .side = is_gone ? Side::before : Side::after,
                      .message = std::move(message)});
}

}  // namespace fairway::diff
