#include <fairway/errors.hpp>
#include <fairway/readable.hpp>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "exchange/open_file.hpp"

namespace fw {
namespace {

Readable::Generator reader(std::shared_ptr<std::istream> stream) {
  return [stream = std::move(stream)](std::span<char> buffer) -> std::size_t {
    stream->read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    if (stream->bad()) throw std::runtime_error("the source of a streamed response cannot be read");
    return static_cast<std::size_t>(stream->gcount());
  };
}

/// Reads only up to the initial size, because a file may grow while it is sent.
Readable::Generator reader(detail::OpenFile file) {
  // Shared, because std::function copies what it contains.
  return [remaining = file.size(), shared = std::make_shared<const detail::OpenFile>(
                                       std::move(file))](std::span<char> buffer) mutable {
    if (remaining && *remaining < buffer.size()) {
      buffer = buffer.first(static_cast<std::size_t>(*remaining));
    }
    const std::size_t count = buffer.empty() ? 0 : shared->read(buffer);
    if (remaining) {
      if (count == 0 && !buffer.empty()) {
        throw std::runtime_error(
            "the source of a streamed response became shorter while it was sent");
      }
      *remaining -= count;
    }
    return count;
  };
}

}  // namespace

Readable::Readable(std::string text) : size_(text.size()) {
  // Shared, because std::function copies what it contains.
  generator_ = [text = std::make_shared<const std::string>(std::move(text)),
                at = std::size_t{0}](std::span<char> buffer) mutable {
    const std::size_t count = std::min(buffer.size(), text->size() - at);
    std::memcpy(buffer.data(), text->data() + at, count);
    at += count;
    return count;
  };
}

Readable::Readable(const char* text) : Readable(std::string(text)) {}

Readable::Readable(detail::OpenFile file) : size_(file.size()) {
  generator_ = reader(std::move(file));
}

Readable::Readable(File source) : Readable(open(source)) {}

detail::OpenFile Readable::open(const File& source) {
  auto file = detail::OpenFile::open(source.path);
  if (!file) throw HttpError({.status = 404});
  return std::move(*file);
}

Readable::Readable(std::unique_ptr<std::istream> stream) {
  if (!stream) throw std::invalid_argument("a streamed response needs a source");
  generator_ = reader(std::move(stream));
}

std::optional<Readable> file_below(const std::string& root, std::string_view relative) {
  auto file = detail::OpenFile::open_below(root, relative);
  if (!file) return std::nullopt;
  return Readable(std::move(*file));
}

}  // namespace fw
