// Route paths and the matcher: the first line is a route, the others are requested paths.
#include <string>
#include <variant>

#include "fuzz.hpp"
#include "routing/matcher.hpp"
#include "schema/route_path.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fw;
  std::string_view rest = fuzz::text_of(data, size);
  const std::string_view route = rest.substr(0, rest.find('\n'));
  rest.remove_prefix(std::min(route.size() + 1, rest.size()));
  const auto parsed = schema::parse_route_path(route);
  if (const auto* error = std::get_if<schema::PathError>(&parsed)) {
    fuzz::require(error->offset <= route.size() && error->length <= route.size() - error->offset);
    fuzz::require(!error->message.empty());
    return 0;
  }
  const auto& path = std::get<schema::RoutePath>(parsed);
  routing::Matcher matcher;
  fuzz::require(!matcher.add("GET", path, 0));
  fuzz::require(matcher.add("GET", path, 1) == 0U);
  while (!rest.empty()) {
    const std::string_view target = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(target.size() + 1, rest.size()));
    const auto match = matcher.find("GET", target);
    if (match.index == routing::Matcher::kNone) continue;
    for (const std::string& name : path.names) fuzz::require(match.params.find(name).has_value());
  }
  return 0;
}
