#include "schema/byte_size.hpp"

#include <fairway/duration.hpp>

#include <fmt/format.h>

#include <stdexcept>

namespace fw {

std::uint64_t ByteSize::bytes() const {
  if (const auto bytes = schema::parse_byte_size(text_)) return *bytes;
  throw std::invalid_argument(fmt::format(
      "'{}' is no size; write a number of bytes, or a number with b, kb, mb or gb", text_));
}

}  // namespace fw
