#include <fairway/multipart.hpp>
#include <fairway/request.hpp>

#include <fmt/format.h>

#include <utility>

#include "errors/messages.hpp"
#include "features/uploads/multipart_form.hpp"

namespace fw {

using detail::MultipartError;
using detail::MultipartReader;

struct MultipartStream::State {
  State(Readable source, std::string_view boundary)
      : body(std::move(source)),
        reader([this](std::span<char> buffer) { return body.read(buffer); }, boundary) {}

  Readable body;
  MultipartReader reader;
  std::string_view content;  ///< of the part, not read yet
};

namespace {

/// Runs `read`, whose errors are the client's.
auto read_form(const auto& read) {
  try {
    return read();
  } catch (const MultipartError& error) {
    throw detail::status_error(400, fmt::format("malformed multipart body: {}", error.what()));
  }
}

}  // namespace

MultipartStream::MultipartStream(Request& req) {
  const auto type = req.header("content-type").value_or("");
  const auto boundary = read_form([&] { return detail::multipart_boundary(type); });
  if (!boundary) throw detail::status_error(415, "the body must be multipart/form-data");
  state_ = std::make_unique<State>(req.body_stream(), *boundary);
}

MultipartStream::~MultipartStream() = default;
MultipartStream::MultipartStream(MultipartStream&&) noexcept = default;
MultipartStream& MultipartStream::operator=(MultipartStream&&) noexcept = default;

std::optional<MultipartStream::Part> MultipartStream::next() {
  state_->content = {};
  auto part = read_form([&] { return state_->reader.next(); });
  if (!part) return std::nullopt;
  return Part{.name = std::move(part->name),
              .filename = std::move(part->filename),
              .media_type = std::move(part->media_type)};
}

std::size_t MultipartStream::read(std::span<char> buffer) {
  std::string_view& content = state_->content;
  if (content.empty()) content = read_form([&] { return state_->reader.content(); });
  const std::size_t size = content.copy(buffer.data(), buffer.size());
  content.remove_prefix(size);
  return size;
}

std::string MultipartStream::text(std::size_t most) {
  std::string text;
  std::string_view& content = state_->content;
  while (true) {
    if (content.empty()) content = read_form([&] { return state_->reader.content(); });
    if (content.empty()) return text;
    if (content.size() > most - text.size()) throw detail::status_error(413);
    text.append(std::exchange(content, {}));
  }
}

}  // namespace fw
