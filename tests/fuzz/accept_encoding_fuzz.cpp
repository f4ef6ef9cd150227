// Accept-Encoding fields: weights are in range, and no coding is chosen that is not accepted or
// that is less wanted than another one or than none.
#include <optional>
#include <string_view>

#include "compression/compression_policy.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using fw::compression::name_of;
  using fw::compression::weight_of_coding;
  const std::string_view field = fuzz::text_of(data, size);
  const auto chosen = fw::compression::choose_coding(field, fw::compression::kCodings);
  const int identity = weight_of_coding(field, "identity");
  fuzz::require(identity >= 0 && identity <= 1'000);
  const int weight = chosen ? weight_of_coding(field, name_of(*chosen)) : identity;
  fuzz::require(!chosen || (weight > 0 && weight >= identity));
  for (const auto coding : fw::compression::kCodings) {
    const int other = weight_of_coding(field, name_of(coding));
    fuzz::require(other >= 0 && other <= 1'000);
    fuzz::require(chosen ? other <= weight : other < identity || other == 0);
  }
  return 0;
}
