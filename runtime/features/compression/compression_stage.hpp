// The compression of responses, for the stages that must know of it (docs/compression.md).
#pragma once

#include <cstdint>
#include <optional>

#include "exchange/exchange.hpp"

namespace fw::detail {

/// Whether responses of the route may be compressed.
bool is_compression_enabled(const Exchange& exchange);

/// Whether the response could be compressed, if a client accepted it.
bool is_compressible(const Exchange& exchange);

/// The coding that the response to a request is to be compressed with, if it is. `size` is the size
/// of its body, which is unknown for some streams. Announces in Vary that the response depends on
/// Accept-Encoding, and makes the entity tag of a response that is compressed a weak one. May be
/// called several times.
std::optional<compression::Coding> negotiate_coding(Exchange& exchange,
                                                    std::optional<std::uint64_t> size);

}  // namespace fw::detail
