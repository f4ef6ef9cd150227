#include <fairway/json_members.hpp>

#include <cmath>

namespace fw::detail {

void require_integer(const Json& json, std::int64_t least, std::uint64_t most) {
  bool is_within = true;
  if (json.is_number_float()) {
    const auto number = json.get<double>();
    // The first bound that is not allowed is a power of two, which a double represents exactly.
    is_within = number >= static_cast<double>(least) && number < static_cast<double>(most) + 1.0 &&
                number == std::trunc(number);
  } else if (json.is_number_unsigned()) {
    is_within = json.get<std::uint64_t>() <= most;
  } else if (json.is_number()) {
    const auto number = json.get<std::int64_t>();
    is_within = number < 0 ? number >= least : static_cast<std::uint64_t>(number) <= most;
  }
  if (!is_within) {
    throw Json::out_of_range::create(406, "the integer cannot be " + json.dump(), &json);
  }
}

}  // namespace fw::detail
