// What a Readable reads, where that can be sent in another way than by reading it.
#pragma once

#include <fairway/readable.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "http/file_part.hpp"

namespace fw::detail {

class ArrivingSource;

struct ReadableSource {
  /// A part of a regular file.
  static Readable make(http::FilePart part);
  /// `size` is the number of bytes, if it is known.
  static Readable make(std::shared_ptr<ArrivingSource> source, std::optional<std::uint64_t> size);
  /// Null for another source.
  static const http::FilePart* file_of(const Readable& source);
  /// Null for another source than a string.
  static const std::string* text_of(const Readable& source);
  /// Null for another source.
  static std::shared_ptr<ArrivingSource> arriving_of(const Readable& source);
};

}  // namespace fw::detail
