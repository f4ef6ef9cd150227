#include "options/option_members.hpp"

#include <stdexcept>

#include "base/ascii.hpp"

namespace fw::options {

const OptionMember& option_member(std::string_view record, std::string_view name) {
  if (const OptionMember* found = find_option_member(record, name)) return *found;
  throw std::logic_error(std::string(record) + " has no row for '" + std::string(name) + "'");
}

bool is_default(Default kind, const Json& value) {
  switch (kind) {
    case Default::none:
      return false;
    case Default::empty:
      return value.is_string() ? value.get_ref<const std::string&>().empty()
                               : value.is_structured() && value.empty();
    case Default::off:
      return value == false;
    case Default::on:
      return value == true;
    case Default::any_string:
      break;
  }
  return value == "any";
}

std::string reference_name(std::string_view member) {
  std::string name;
  bool capital = false;
  for (const char c : member) {
    if (c != '_') name += capital ? base::to_upper(c) : c;
    capital = c == '_';
  }
  return name;
}

std::string member_name(std::string_view reference_name) {
  std::string name;
  for (const char c : reference_name) {
    if (base::to_lower(c) != c) name += '_';
    name += base::to_lower(c);
  }
  if (name == "override") name += '_';
  return name;
}

}  // namespace fw::options
