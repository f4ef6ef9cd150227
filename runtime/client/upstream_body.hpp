// The body of a response of an upstream, which is passed on while it arrives.
#pragma once

#include <fairway/readable.hpp>

#include <cstdint>
#include <memory>
#include <optional>

#include "client/fetch_exchange.hpp"

namespace fw::detail {

/// It is a string if it has arrived completely, and an ArrivingSource otherwise. `length` is the
/// number of its bytes if that is known; of a response to HEAD, the number that the response
/// describes.
Readable pass_body(std::unique_ptr<FetchExchange> exchange, std::optional<std::uint64_t> length);

}  // namespace fw::detail
