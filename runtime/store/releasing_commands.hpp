// Ends the claims of the response cache that a store which did not respond may have kept.
#pragma once

#include <memory>

#include "store/cache_commands.hpp"

namespace fw::store {

/// A claim whose command got no response may be taken later, when nobody knows of it any more, and
/// one that could not be ended stays: other requests would wait for it until it expires. These
/// commands release such claims after the next entry has been read. Only after a failure, that
/// costs one more command; if it fails twice, the claim expires.
std::unique_ptr<CacheCommands> releasing_commands(std::unique_ptr<CacheCommands> commands);

}  // namespace fw::store
