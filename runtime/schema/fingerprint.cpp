#include "schema/fingerprint.hpp"

namespace fw::schema {

std::uint64_t fingerprint(std::string_view text) {
  constexpr std::uint64_t kOffsetBasis = 14695981039346656037U;
  constexpr std::uint64_t kPrime = 1099511628211U;
  std::uint64_t hash = kOffsetBasis;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= kPrime;
  }
  return hash;
}

std::uint64_t contract_fingerprint(const nlohmann::ordered_json& contract) {
  return fingerprint(
      contract.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace fw::schema
