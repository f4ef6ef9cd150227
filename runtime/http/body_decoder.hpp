// Decodes a request body incrementally. Never consumes bytes after the body.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/adapter.hpp"
#include "http/framing.hpp"

namespace fw::http {

class BodyDecoder {
 public:
  enum class Status { need_more, complete, too_large, malformed };

  /// Decodes a body with the given framing of at most `limit` bytes.
  BodyDecoder(const Framing& framing, std::uint64_t limit);

  /// Consumes from `input`, advancing it, and appends content to `content` unless it is null.
  /// Returns `too_large` before bytes beyond the limit are consumed. After `need_more`, the rest of
  /// `input` must be passed again, followed by more bytes.
  Status decode(std::string_view& input, std::string* content);

 private:
  enum class State { length_data, chunk_size, chunk_data, chunk_end, trailer, done };

  Status decode_chunk_size(std::string_view& input);
  Status decode_data(std::string_view& input, std::string* content);
  Status decode_chunk_end(std::string_view& input);
  Status decode_trailer(std::string_view& input);

  State state_;
  std::uint64_t remaining_ = 0;  ///< bytes of the body or of the chunk
  std::uint64_t received_ = 0;
  std::uint64_t limit_;
  std::size_t overhead_ = 0;  ///< bytes of chunk extensions, leading zeros and trailer
};

/// The final status of a body; empty while more bytes are needed.
std::optional<BodyStatus> final_status(BodyDecoder::Status status);

}  // namespace fw::http
