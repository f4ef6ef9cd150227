#include "client/content_decoder.hpp"

#include <utility>

#include "base/ascii.hpp"

namespace fw::detail {
namespace {

constexpr std::string_view kBytesAfter = "the response has bytes after its compressed body";

/// Whether the coding may consist of several members (RFC 1952, 2.2; RFC 8878, 3.1).
bool may_have_members(std::string_view coding) {
  return base::equal_ignoring_case(coding, "gzip") || base::equal_ignoring_case(coding, "x-gzip") ||
         base::equal_ignoring_case(coding, "zstd");
}

}  // namespace

using Status = compression::Decoder::Status;

ContentDecoder::ContentDecoder(std::string coding)
    : coding_(std::move(coding)), decoder_(compression::make_decoder(coding_)) {
  if (!decoder_) {
    fail("the body of the response has the unknown content coding '" + coding_ + "'");
  }
}

void ContentDecoder::add(std::string_view bytes) {
  has_whole_input_ = bytes.empty();
  input_.append(bytes);
}

std::size_t ContentDecoder::memory() const {
  return (decoder_ ? decoder_->memory() : 0) + input_.capacity() + output_.capacity();
}

ContentDecoder::State ContentDecoder::read(std::span<char> buffer, std::size_t& count) {
  if (read_ == output_.size()) {
    const State state = decode();
    if (state != State::reading) return state;
  }
  count = output_.copy(buffer.data(), buffer.size(), read_);
  read_ += count;
  return State::reading;
}

/// Decodes until there is output.
ContentDecoder::State ContentDecoder::decode() {
  output_.clear();
  read_ = 0;
  while (error_.empty()) {
    std::string_view rest = std::string_view(input_).substr(used_);
    if (rest.empty() && status_ != Status::need_more) {
      if (has_whole_input_) return State::end;
      return State::needs_input;
    }
    if (status_ == Status::complete) {
      if (!may_have_members(coding_)) return fail(std::string(kBytesAfter));
      decoder_ = compression::make_decoder(coding_);
      is_first_member_ = false;
    }
    const std::size_t before = rest.size();
    status_ = decoder_->read(rest, output_);
    used_ = input_.size() - rest.size();
    if (used_ == input_.size()) {
      input_.clear();
      used_ = 0;
    }
    if (status_ == Status::malformed) {
      return fail(is_first_member_ ? "the compressed body of the response is malformed"
                                   : std::string(kBytesAfter));
    }
    if (!output_.empty()) return State::reading;
    if (status_ == Status::need_more && rest.size() == before) {
      if (!has_whole_input_) return State::needs_input;
      return fail(is_first_member_ ? "the compressed body of the response is cut off"
                                   : std::string(kBytesAfter));
    }
  }
  return State::failed;
}

ContentDecoder::State ContentDecoder::fail(std::string why) {
  error_ = std::move(why);
  return State::failed;
}

}  // namespace fw::detail
