#include <fairway/errors.hpp>
#include <fairway/readable.hpp>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "base/open_file.hpp"
#include "exchange/readable_source.hpp"

namespace fw {
namespace {

struct TextReader {
  std::shared_ptr<const std::string> text;  ///< shared, because std::function copies the reader
  std::size_t at = 0;

  std::size_t operator()(std::span<char> buffer) {
    const std::size_t count = std::min(buffer.size(), text->size() - at);
    std::memcpy(buffer.data(), text->data() + at, count);
    at += count;
    return count;
  }
};

struct ArrivingReader {
  std::shared_ptr<detail::ArrivingSource> source;

  std::size_t operator()(std::span<char> buffer) { return source->read(buffer); }
};

Readable::Generator reader(std::shared_ptr<std::istream> stream) {
  return [stream = std::move(stream)](std::span<char> buffer) -> std::size_t {
    stream->read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    if (stream->bad()) throw std::runtime_error("the source of a streamed response cannot be read");
    return static_cast<std::size_t>(stream->gcount());
  };
}

detail::OpenFile open(const File& source) {
  auto file = detail::OpenFile::open(source.path);
  if (!file) throw HttpError({.status = 404});
  return std::move(*file);
}

}  // namespace

Readable::Readable(std::string text) : size_(text.size()) {
  generator_ = TextReader{std::make_shared<const std::string>(std::move(text))};
}

Readable::Readable(const char* text) : Readable(std::string(text)) {}

Readable::Readable(detail::OpenFile file) {
  // Shared, because std::function copies what it contains.
  const auto shared = std::make_shared<const detail::OpenFile>(std::move(file));
  if (const auto size = shared->size()) {
    *this = Readable(http::FilePart{shared, shared->descriptor(), 0, *size});
  } else {
    generator_ = [shared](std::span<char> buffer) { return shared->read(buffer); };
  }
}

Readable::Readable(http::FilePart part)
    : size_(part.size), file_(std::make_shared<const http::FilePart>(part)) {
  // Reads no more than the size: a file that grows while it is sent keeps its announced length.
  generator_ = [part = std::move(part)](std::span<char> buffer) mutable {
    return http::read_next(part, buffer);
  };
}

Readable::Readable(File source) : Readable(open(source)) {}

Readable::Readable(std::unique_ptr<std::istream> stream) {
  if (!stream) throw std::invalid_argument("a streamed response needs a source");
  generator_ = reader(std::move(stream));
}

std::optional<Readable> file_below(const std::string& root, std::string_view relative) {
  auto file = detail::OpenFile::open_below(detail::Directory(root), relative);
  if (!file) return std::nullopt;
  return Readable(std::move(*file));
}

namespace detail {

Readable ReadableSource::make(http::FilePart part) { return Readable(std::move(part)); }

Readable ReadableSource::make(std::shared_ptr<ArrivingSource> source,
                              std::optional<std::uint64_t> size) {
  Readable::Generator generator = ArrivingReader{std::move(source)};
  return size ? Readable(std::move(generator), *size) : Readable(std::move(generator));
}

const http::FilePart* ReadableSource::file_of(const Readable& source) { return source.file_.get(); }

const std::string* ReadableSource::text_of(const Readable& source) {
  const auto* const reader = source.generator_.target<TextReader>();
  return reader == nullptr ? nullptr : reader->text.get();
}

std::shared_ptr<ArrivingSource> ReadableSource::arriving_of(const Readable& source) {
  const auto* const reader = source.generator_.target<ArrivingReader>();
  return reader == nullptr ? nullptr : reader->source;
}

}  // namespace detail

}  // namespace fw
