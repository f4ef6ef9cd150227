// Assignments of strings.
#pragma once

#include <string>
#include <string_view>

namespace fw::base {

/// `out = text` for a text that is no part of `out`, in half the instructions: the library first
/// looks whether it is.
inline void assign(std::string& out, std::string_view text) {
  out.clear();
  out.append(text);
}

}  // namespace fw::base
