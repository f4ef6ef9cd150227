// The body of a response of an upstream, which the proxy passes on.
#pragma once

#include <fairway/readable.hpp>

#include <cstdint>
#include <memory>
#include <optional>

#include "base/deadline_timer.hpp"
#include "client/fetch_exchange.hpp"

namespace fw::detail {

/// It is a string if it has arrived completely, and an ArrivingSource otherwise. The timer ends
/// waits at the time limits of the call. `length` is the number of its bytes if that is known; of a
/// response to HEAD, the number that the response describes.
Readable pass_body(std::unique_ptr<FetchExchange> exchange, std::optional<std::uint64_t> length,
                   std::shared_ptr<base::DeadlineTimer> timer);

}  // namespace fw::detail
