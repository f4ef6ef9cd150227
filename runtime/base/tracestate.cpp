#include "base/tracestate.hpp"

#include <algorithm>
#include <vector>

#include "base/ascii.hpp"

namespace fw::base {
namespace {

constexpr std::size_t kMaxMembers = 32;
constexpr std::size_t kMaxSize = 512;
constexpr std::size_t kLongMember = 128;
constexpr std::size_t kMaxKey = 256;
constexpr std::size_t kMaxValue = 256;

bool is_key_begin(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool is_key(std::string_view key) {
  if (key.empty() || key.size() > kMaxKey || !is_key_begin(key.front())) return false;
  return std::all_of(key.begin(), key.end(), [](char c) {
    return is_key_begin(c) || std::string_view("_-*/@").find(c) != std::string_view::npos;
  });
}

bool is_value(std::string_view value) {
  if (value.empty() || value.size() > kMaxValue || value.back() == ' ') return false;
  return std::all_of(value.begin(), value.end(),
                     [](char c) { return c >= ' ' && c <= '~' && c != ',' && c != '='; });
}

std::string_view key_of(std::string_view member) { return member.substr(0, member.find('=')); }

bool is_member(std::string_view member) {
  const auto equals = member.find('=');
  return equals != std::string_view::npos && is_key(key_of(member)) &&
         is_value(member.substr(equals + 1));
}

std::size_t size_of(const std::vector<std::string_view>& members) {
  std::size_t size = members.empty() ? 0 : members.size() - 1;
  for (const std::string_view member : members) size += member.size();
  return size;
}

}  // namespace

std::string passed_tracestate(std::string_view text) {
  std::vector<std::string_view> members;
  bool is_valid = true;
  for_each_token(text, ',', [&](std::string_view member) {
    member = trim_ows(member);
    if (member.empty() || !is_valid) return;
    const bool is_new = std::none_of(members.begin(), members.end(), [&](std::string_view other) {
      return key_of(other) == key_of(member);
    });
    is_valid = is_new && is_member(member) && members.size() < kMaxMembers;
    members.push_back(member);
  });
  if (!is_valid) return {};
  if (size_of(members) > kMaxSize) {
    std::erase_if(members, [](std::string_view member) { return member.size() > kLongMember; });
  }
  while (size_of(members) > kMaxSize) members.pop_back();
  std::string passed;
  for (const std::string_view member : members) {
    passed.append(passed.empty() ? "" : ",").append(member);
  }
  return passed;
}

}  // namespace fw::base
