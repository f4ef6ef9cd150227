#include <fairway/readable.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace fw {
namespace {

/// Reads at most `remaining` bytes more: a file that grows while it is sent keeps its announced
/// size.
Readable::Generator reader(std::shared_ptr<std::istream> stream,
                           std::optional<std::uint64_t> remaining) {
  return [stream = std::move(stream), remaining](std::span<char> buffer) mutable -> std::size_t {
    std::uint64_t wanted = buffer.size();
    if (remaining) wanted = std::min(wanted, *remaining);
    stream->read(buffer.data(), static_cast<std::streamsize>(wanted));
    const auto count = static_cast<std::uint64_t>(stream->gcount());
    if (stream->bad()) throw std::runtime_error("the source of a streamed answer cannot be read");
    if (remaining) {
      if (count == 0 && *remaining > 0 && !buffer.empty()) {
        throw std::runtime_error(
            "the source of a streamed answer became shorter while it was sent");
      }
      *remaining -= count;
    }
    return static_cast<std::size_t>(count);
  };
}

}  // namespace

Readable::Readable(std::string text) : size_(text.size()) {
  // Shared, because std::function copies what it holds.
  generator_ = [text = std::make_shared<const std::string>(std::move(text)),
                at = std::size_t{0}](std::span<char> buffer) mutable {
    const std::size_t count = std::min(buffer.size(), text->size() - at);
    std::memcpy(buffer.data(), text->data() + at, count);
    at += count;
    return count;
  };
}

Readable::Readable(const char* text) : Readable(std::string(text)) {}

Readable::Readable(File source) {
  std::error_code fault;
  if (std::filesystem::is_directory(source.path, fault)) {
    throw std::system_error(std::make_error_code(std::errc::is_a_directory),
                            "cannot open '" + source.path + "'");
  }
  auto stream = std::make_shared<std::ifstream>(source.path, std::ios::binary);
  if (!*stream) {
    throw std::system_error(errno, std::generic_category(), "cannot open '" + source.path + "'");
  }
  if (std::filesystem::is_regular_file(source.path, fault)) {
    stream->seekg(0, std::ios::end);
    size_ = static_cast<std::uint64_t>(stream->tellg());
    stream->seekg(0);
  }
  generator_ = reader(std::move(stream), size_);
}

Readable::Readable(std::unique_ptr<std::istream> stream) {
  if (!stream) throw std::invalid_argument("a streamed answer needs a source");
  generator_ = reader(std::move(stream), std::nullopt);
}

}  // namespace fw
