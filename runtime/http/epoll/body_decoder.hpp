// Takes a request body out of the bytes of a connection, piece by piece, and never a byte more.
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

  /// A body as `framing` describes it; at most `limit` bytes are accepted.
  BodyDecoder(const Framing& framing, std::uint64_t limit);

  /// Consumes from `input`, advancing it, and appends content to `content` unless it is null.
  /// `too_large` comes before the bytes past the limit are read. What is left in `input` after
  /// `need_more` has to be given again together with more bytes.
  Status decode(std::string_view& input, std::string* content);

 private:
  enum class State { length_data, chunk_size, chunk_data, chunk_end, trailer, done };

  Status decode_chunk_size(std::string_view& input);
  Status decode_data(std::string_view& input, std::string* content);
  Status decode_chunk_end(std::string_view& input);
  Status decode_trailer(std::string_view& input);

  State state_;
  std::uint64_t remaining_ = 0;  ///< of the body, or of the chunk
  std::uint64_t received_ = 0;
  std::uint64_t limit_;
  std::size_t overhead_ = 0;  ///< bytes of chunk extensions, leading zeros and trailer
};

/// What has become of a body; nothing while more is needed.
std::optional<BodyStatus> final_status(BodyDecoder::Status status);

}  // namespace fw::http
