// Field types that several route files share.
#pragma once

namespace limits {

inline constexpr const char* kId = "integer:1-";
inline constexpr const char* kName = "string:1-80";
inline constexpr const char* kPageSize = "integer:1-100?";
inline constexpr const char* kPriceCents = "integer:0-100000000";

}  // namespace limits
