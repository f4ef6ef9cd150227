// A number for each thread of the process, by which threads share what is kept in several parts.
#pragma once

#include <atomic>
#include <cstdint>

namespace fw::detail {

inline std::atomic<std::uint32_t> g_numbered_threads = 0;
inline constinit thread_local std::uint32_t t_thread_number = 0;  ///< 0: not known yet

/// From 1, in the order of the first calls.
inline std::uint32_t thread_number() noexcept {
  if (t_thread_number == 0) t_thread_number = g_numbered_threads.fetch_add(1) + 1;
  return t_thread_number;
}

}  // namespace fw::detail
