#include "client/network/response_reader.hpp"

#include <cstdint>
#include <limits>
#include <utility>

#include "base/ascii.hpp"

namespace fw::outbound {
namespace {

using Decoding = compression::Decoder::Status;

constexpr int kNoContent = 204;
constexpr int kNotModified = 304;

}  // namespace

ResponseReader::State ResponseReader::read(std::string_view bytes) {
  if (!input_.empty()) input_.append(bytes);
  std::string_view rest = input_.empty() ? bytes : std::string_view(input_);
  state_ = State::reading;
  if (!has_head_) read_head(rest);
  if (has_head_ && state_ == State::reading) read_body(rest);
  if (input_.empty()) {
    input_.assign(rest);
  } else {
    input_.erase(0, input_.size() - rest.size());
  }
  return state_;
}

ResponseReader::State ResponseReader::end(bool has_failed) {
  if (!has_head_) {
    fail("the upstream has closed the connection without a response");
  } else if (framing_ || has_failed) {
    fail("the upstream has closed the connection before the response was complete");
  } else {
    has_whole_body_ = true;
    read({});
  }
  return state_;
}

void ResponseReader::read_head(std::string_view& bytes) {
  while (!bytes.empty()) {
    const auto newline = bytes.find('\n');
    const bool is_whole = newline != std::string_view::npos;
    // The parser rejects a line without an end if it is too long.
    if (!is_whole && bytes.size() <= ResponseParser::kMostHeadBytes) return;
    const auto line = is_whole ? bytes.substr(0, newline + 1) : bytes;
    switch (parser_.add(line)) {
      case ResponseParser::State::incomplete:
      case ResponseParser::State::interim:
        bytes.remove_prefix(line.size());
        break;
      case ResponseParser::State::complete:
        bytes.remove_prefix(line.size());
        begin_body();
        return;
      case ResponseParser::State::rejected:
        fail(std::string(parser_.error()));
        return;
    }
  }
}

void ResponseReader::begin_body() {
  has_head_ = true;
  const int status = parser_.status();
  const http::Framing& framing = parser_.framing();
  const bool ends_with_connection = !framing.chunked && !framing.content_length;
  const bool has_no_body = transfer_.request().method == "HEAD" || status == kNoContent ||
                           status == kNotModified || (!ends_with_connection && !framing.has_body());
  keeps_connection_ = framing.keep_alive && (has_no_body || !ends_with_connection);
  has_whole_body_ = has_no_body;
  if (!has_no_body) {
    if (!ends_with_connection) {
      framing_.emplace(framing, std::numeric_limits<std::uint64_t>::max());
    }
    const auto coding = parser_.fields().find("content-encoding");
    if (coding && !base::equal_ignoring_case(*coding, "identity")) {
      coding_ = compression::make_decoder(*coding);
      if (!coding_) {
        return fail("the body of the response has the unknown content coding '" +
                    std::string(*coding) + "'");
      }
    }
  }
  transfer_.put_head(status, std::move(parser_.fields()));
}

void ResponseReader::read_body(std::string_view& bytes) {
  while (pass_on()) {
    if (has_whole_body_) {
      if (coding_status_ == Decoding::need_more) {
        return fail("the compressed body of the response is cut off");
      }
      state_ = State::complete;
      return;
    }
    if (bytes.empty()) return;
    if (!framing_) {
      content_.append(bytes);
      bytes = {};
      continue;
    }
    switch (framing_->decode(bytes, &content_)) {
      case http::BodyDecoder::Status::complete:
        has_whole_body_ = true;
        break;
      case http::BodyDecoder::Status::need_more:
        if (content_.empty()) return;
        break;
      default:
        return fail("the chunks of the response are malformed");
    }
  }
}

/// Passes on the content that has been read. Returns false if the transfer takes no more.
bool ResponseReader::pass_on() {
  if (!coding_) return put(content_);
  while (put(decompressed_)) {
    std::string_view rest = std::string_view(content_).substr(used_);
    if (rest.empty() && coding_status_ != Decoding::need_more) return true;
    if (coding_status_ == Decoding::complete) {
      fail("the response has bytes after its compressed body");
      return false;
    }
    coding_status_ = coding_->read(rest, decompressed_);
    used_ = content_.size() - rest.size();
    if (coding_status_ == Decoding::malformed) {
      fail("the compressed body of the response is malformed");
      return false;
    }
    if (used_ == content_.size()) {
      content_.clear();
      used_ = 0;
      if (decompressed_.empty()) return true;
    }
  }
  return false;
}

/// Returns false if the transfer does not take the bytes.
bool ResponseReader::put(std::string& bytes) {
  if (bytes.empty()) return true;
  switch (transfer_.put_body(bytes)) {
    case Transfer::Put::taken:
      bytes.clear();
      return true;
    case Transfer::Put::full:
      state_ = State::paused;
      return false;
    case Transfer::Put::rejected:
      break;
  }
  fail("the response was abandoned");
  return false;
}

void ResponseReader::fail(std::string why) {
  state_ = State::failed;
  error_ = std::move(why);
}

}  // namespace fw::outbound
