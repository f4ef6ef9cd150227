#include "http/http2/stream_priority.hpp"

#include "base/ascii.hpp"

namespace fw::http {

std::uint32_t urgency_of(std::string_view priority) {
  std::uint32_t urgency = 3;
  base::for_each_token(priority, ',', [&](std::string_view member) {
    const auto value = base::trim_ows(member.substr(0, member.find(';')));
    const bool is_urgency =
        value.size() == 3 && value.starts_with("u=") && value[2] >= '0' && value[2] <= '7';
    if (is_urgency) urgency = static_cast<std::uint32_t>(value[2] - '0');
  });
  return urgency;
}

}  // namespace fw::http
