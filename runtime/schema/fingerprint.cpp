#include "schema/fingerprint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/ascii.hpp"

namespace fw::schema {
namespace {

using OrderedJson = nlohmann::ordered_json;

std::uint64_t hash_of(const OrderedJson& value) {
  return fingerprint(value.dump(-1, ' ', false, OrderedJson::error_handler_t::replace));
}

/// "validate=0a1b2c3d", …
std::vector<std::string_view> sorted_digests(std::string_view digests) {
  std::vector<std::string_view> list;
  base::for_each_token(digests, ' ', [&](std::string_view digest) {
    if (!digest.empty()) list.push_back(digest);
  });
  std::sort(list.begin(), list.end());
  return list;
}

}  // namespace

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

std::uint64_t declaration_fingerprint(const OrderedJson& declaration) {
  return hash_of(declaration);
}

std::string option_digests(const OrderedJson& declaration) {
  std::string digests;
  for (const auto& [name, value] : declaration.items()) {
    if (name == "method" || name == "path") continue;
    if (!digests.empty()) digests += ' ';
    digests += fmt::format("{}={:08x}", name, static_cast<std::uint32_t>(hash_of(value)));
  }
  return digests;
}

std::vector<std::string> differing_options(std::string_view digests, std::string_view others) {
  const auto left = sorted_digests(digests);
  const auto right = sorted_digests(others);
  std::vector<std::string_view> differing;
  std::set_symmetric_difference(left.begin(), left.end(), right.begin(), right.end(),
                                std::back_inserter(differing));
  std::vector<std::string> names;
  for (const std::string_view digest : differing) {
    const std::string_view name = digest.substr(0, digest.find('='));
    if (names.empty() || names.back() != name) names.emplace_back(name);
  }
  return names;
}

}  // namespace fw::schema
