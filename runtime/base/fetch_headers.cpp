#include <fairway/fetch_options.hpp>

#include <algorithm>

#include "base/ascii.hpp"

namespace fw {

FetchHeaders::FetchHeaders(std::initializer_list<std::pair<Text, Text>> entries) {
  for (const auto& [name, value] : entries) set(name, value);
}

std::optional<std::string> FetchHeaders::get(std::string_view name) const {
  std::optional<std::string> joined;
  for (const auto& [key, value] : entries_) {
    if (!base::equal_ignoring_case(key, name)) continue;
    if (joined) {
      joined->append(", ").append(value);
    } else {
      joined = value;
    }
  }
  return joined;
}

std::vector<std::string> FetchHeaders::get_set_cookie() const {
  std::vector<std::string> values;
  for (const auto& [key, value] : entries_) {
    if (base::equal_ignoring_case(key, "set-cookie")) values.push_back(value);
  }
  return values;
}

bool FetchHeaders::has(std::string_view name) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return base::equal_ignoring_case(entry.first, name);
  });
}

void FetchHeaders::set(std::string_view name, std::string_view value) {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return base::equal_ignoring_case(entry.first, name);
  });
  if (found == entries_.end()) return append(name, value);
  found->second = value;
  entries_.erase(std::remove_if(std::next(found), entries_.end(),
                                [&](const Entry& entry) {
                                  return base::equal_ignoring_case(entry.first, name);
                                }),
                 entries_.end());
}

void FetchHeaders::append(std::string_view name, std::string_view value) {
  entries_.emplace_back(name, value);
}

void FetchHeaders::erase(std::string_view name) {
  std::erase_if(entries_,
                [&](const Entry& entry) { return base::equal_ignoring_case(entry.first, name); });
}

void FetchHeaders::merge(const FetchHeaders& other) {
  for (const auto& [name, value] : other) erase(name);
  for (const auto& [name, value] : other) append(name, value);
}

FetchProxyHeaders::FetchProxyHeaders(std::initializer_list<std::pair<Text, Json>> entries) {
  for (const auto& [name, value] : entries) values_[name.str()] = value;
}

Json FetchProxyHeaders::make(const FetchProxyHeaderContext& context) const {
  return function_ ? function_(context) : values_;
}

}  // namespace fw
