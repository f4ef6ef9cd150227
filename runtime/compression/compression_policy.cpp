#include "compression/compression_policy.hpp"

#include <algorithm>
#include <utility>

#include "base/ascii.hpp"
#include "base/media_type.hpp"

namespace fw::compression {
namespace {

constexpr int kFullWeight = 1'000;
constexpr int kMinWeight = 1;

/// A qvalue, in thousandths; nothing for one that is malformed.
std::optional<int> parse_weight(std::string_view text) {
  if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1')) return std::nullopt;
  int weight = (text[0] - '0') * kFullWeight;
  if (text.size() > 1 && text[1] != '.') return std::nullopt;
  int unit = kFullWeight / 10;
  for (std::size_t i = 2; i < text.size(); ++i, unit /= 10) {
    if (!base::is_digit(text[i])) return std::nullopt;
    weight += (text[i] - '0') * unit;
  }
  return weight > kFullWeight ? std::nullopt : std::optional(weight);
}

/// The weight among the parameters of a list member.
std::optional<int> weight_among(std::string_view parameters) {
  std::optional<int> weight = kFullWeight;
  base::for_each_token(parameters, ';', [&](std::string_view parameter) {
    parameter = base::trim_ows(parameter);
    if (parameter.size() < 2 || !base::equal_ignoring_case(parameter.substr(0, 2), "q=")) return;
    weight = parse_weight(parameter.substr(2));
  });
  return weight;
}

bool is_same_coding(std::string_view a, std::string_view b) {
  // Recipients treat x-gzip as gzip (RFC 9110, 8.4.1.3).
  if (base::equal_ignoring_case(a, "x-gzip")) a = "gzip";
  return base::equal_ignoring_case(a, b);
}

}  // namespace

int weight_of_coding(std::optional<std::string_view> accept_encoding, std::string_view coding) {
  const bool is_identity = coding == "identity";
  std::optional<int> named;
  std::optional<int> any;
  if (accept_encoding) {
    base::for_each_token(*accept_encoding, ',', [&](std::string_view item) {
      const auto end = item.find(';');
      const std::string_view name = base::trim_ows(item.substr(0, end));
      const auto weight =
          end == std::string_view::npos ? kFullWeight : weight_among(item.substr(end + 1));
      if (!weight) return;  // a malformed member says nothing
      if (is_same_coding(name, coding)) named = weight;
      if (name == "*") any = weight;
    });
  }
  if (named) return *named;
  if (any) return *any;
  return is_identity ? kMinWeight : 0;
}

std::optional<Coding> choose_coding(std::optional<std::string_view> accept_encoding,
                                    std::span<const Coding> available) {
  if (!accept_encoding) return std::nullopt;
  std::optional<Coding> chosen;
  int least = std::max(weight_of_coding(accept_encoding, "identity"), kMinWeight);
  for (const Coding coding : available) {
    const int weight = weight_of_coding(accept_encoding, compression::name_of(coding));
    if (weight < least) continue;
    chosen = coding;
    least = weight + 1;  // a later one must be preferred
  }
  return chosen;
}

CompressionPolicy::CompressionPolicy(const CompressionConfig& config)
    : is_enabled_(config.enabled),
      levels_{config.gzip_level, config.brotli_level, config.zstd_level},
      min_size_(config.min_size.bytes()) {
  for (const std::string& name : config.encodings) {
    const auto coding = compression::coding_of(name);
    if (coding && compression::is_available(*coding)) codings_.push_back(*coding);
  }
  for (const std::string& written : config.mime_types) {
    std::string type = base::lower_case(written);
    if (type.ends_with("/*")) {
      type.pop_back();
      families_.push_back(std::move(type));
    } else {
      types_.push_back(std::move(type));
    }
  }
}

bool CompressionPolicy::covers(std::string_view content_type) const {
  const std::string_view type = base::media_type(content_type);
  const auto is_listed = [this](std::string_view name) {
    return std::ranges::any_of(
        types_, [&](const std::string& each) { return base::equal_ignoring_case(each, name); });
  };
  const auto ends_with = [&](std::string_view ending) {
    return type.size() >= ending.size() &&
           base::equal_ignoring_case(type.substr(type.size() - ending.size()), ending);
  };
  if (is_listed(type)) return true;
  if (ends_with("+json") && is_listed("application/json")) return true;
  if (ends_with("+xml") && is_listed("application/xml")) return true;
  return std::ranges::any_of(families_, [&](const std::string& family) {
    return base::equal_ignoring_case(type.substr(0, family.size()), family);
  });
}

}  // namespace fw::compression
