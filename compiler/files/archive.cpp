#include "files/archive.hpp"

namespace fairway::files {
namespace {

constexpr unsigned kBits =
    7;  // bits of a number in one byte; the eighth is set if more bytes follow
constexpr unsigned kMore = 0x80;

}  // namespace

void ArchiveWriter::number(std::uint64_t value) {
  for (; value >= kMore; value >>= kBits) bytes_ += static_cast<char>(value | kMore);
  bytes_ += static_cast<char>(value);
}

void ArchiveWriter::write(const std::string& text) {
  number(text.size());
  bytes_ += text;
}

void ArchiveWriter::repeated(const std::string& text) {
  const auto [known, is_new] = repeated_.emplace(text, repeated_.size());
  number(known->second);
  if (is_new) write(text);
}

std::uint64_t ArchiveReader::number() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += kBits) {
    if (rest_.empty()) throw BadArchive();
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & (kMore - 1)) << shift;
    if (byte < kMore) return value;
  }
  throw BadArchive();
}

std::size_t ArchiveReader::size() {
  const std::uint64_t count = number();
  if (count > rest_.size()) throw BadArchive();
  return static_cast<std::size_t>(count);
}

void ArchiveReader::read(std::string& text) {
  const std::size_t length = size();
  text.assign(rest_.substr(0, length));
  rest_.remove_prefix(length);
}

void ArchiveReader::repeated(std::string& text) {
  const std::uint64_t index = number();
  if (index == repeated_.size()) read(repeated_.emplace_back());
  if (index >= repeated_.size()) throw BadArchive();
  text = repeated_[static_cast<std::size_t>(index)];
}

}  // namespace fairway::files
