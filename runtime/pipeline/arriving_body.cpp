#include "pipeline/arriving_body.hpp"

namespace fw::detail {

std::optional<http::PushedBody::Part> ArrivingBody::take(std::span<char> buffer) noexcept {
  if (error_) return fail();
  std::size_t size = 0;
  try {
    // To the end, so that the last part is known as such.
    while (size < buffer.size()) {
      const auto count = try_read_(buffer.subspan(size));
      if (!count) break;
      if (*count == 0) return Part{size, true};
      size += *count;
    }
  } catch (...) {
    error_ = std::current_exception();
    if (size == 0) return fail();
  }
  return Part{size, false};
}

/// Reports the error before the disconnect that it causes, so that it is not taken for its cause.
std::optional<http::PushedBody::Part> ArrivingBody::fail() noexcept {
  end(false);
  return std::nullopt;
}

void ArrivingBody::end(bool) noexcept {
  if (const auto ended = std::exchange(ended_, nullptr)) ended(error_);
}

}  // namespace fw::detail
