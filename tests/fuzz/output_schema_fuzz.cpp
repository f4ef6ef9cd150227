// Response schemas: a JSON Schema and data, a line each. What has been shaped once stays as it is.
#include <fairway/json.hpp>

#include <stdexcept>

#include "fuzz.hpp"
#include "schema/output_schema.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = fuzz::text_of(data, size);
  const std::string_view text = input.substr(0, input.find('\n'));
  const auto schema = fw::Json::parse(text, nullptr, false);
  auto value =
      fw::Json::parse(input.substr(std::min(text.size() + 1, input.size())), nullptr, false);
  if (schema.is_discarded() || value.is_discarded()) return 0;
  try {
    const fw::schema::OutputSchema compiled(schema);
    if (compiled.apply(value)) return 0;
    fw::Json again = value;
    fuzz::require(!compiled.apply(again));
  } catch (const std::invalid_argument&) {
    // Reported at start.
  } catch (const fw::Json::exception&) {
    // A keyword with a value of the wrong type; reported at start too.
  }
  return 0;
}
