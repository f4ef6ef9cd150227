// Which responses are compressed, and with which coding (docs/compression.md).
#pragma once

#include <fairway/config.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compression/coding.hpp"

namespace fw::compression {

using compression::Coding;

/// The weight of a coding in the Accept-Encoding field, in thousandths; 0: it is not acceptable
/// (RFC 9110, 12.5.3). Without the field, only "identity" is acceptable, because such clients can
/// seldom decode anything else.
int weight_of_coding(std::optional<std::string_view> accept_encoding, std::string_view coding);

/// The coding that a client prefers, the first one among equals; nothing if the client prefers or
/// only accepts bodies without a coding.
std::optional<Coding> choose_coding(std::optional<std::string_view> accept_encoding,
                                    std::span<const Coding> available);

/// The settings of `compression` in the configuration. Immutable.
class CompressionPolicy {
 public:
  CompressionPolicy() = default;  ///< compresses nothing
  /// `config` must be valid. Codings that this build does not support are omitted.
  explicit CompressionPolicy(const CompressionConfig& config);

  bool is_enabled() const { return is_enabled_; }
  /// The preferred ones first.
  std::span<const Coding> codings() const { return codings_; }
  int level(Coding coding) const { return levels_[static_cast<std::size_t>(coding)]; }
  /// Smaller bodies are not worth it.
  std::uint64_t min_size() const { return min_size_; }
  /// Whether bodies of the type of a Content-Type field are compressed.
  bool covers(std::string_view content_type) const;

 private:
  bool is_enabled_ = false;
  std::vector<Coding> codings_;
  std::array<int, compression::kCodings.size()> levels_{};
  std::uint64_t min_size_ = 0;
  std::vector<std::string> types_;     ///< in lower case
  std::vector<std::string> families_;  ///< "text/"
};

}  // namespace fw::compression
