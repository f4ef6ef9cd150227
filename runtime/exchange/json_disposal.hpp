// The end of JSON trees.
#pragma once

#include <fairway/json.hpp>

namespace fw::detail {

/// Empties a tree from its leaves up, which takes half the time of nlohmann's destructor: that
/// moves every value to a heap-allocated list first, lest deep trees exhaust the stack. Levels
/// below `deepest` are left to it.
void dispose_of(Json& value, int deepest = 64) noexcept;

}  // namespace fw::detail
