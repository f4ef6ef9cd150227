#pragma once

inline constexpr const char* kText = "string:1-100";
inline constexpr const char* kListPath = "/";
