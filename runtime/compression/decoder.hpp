// Decompresses bodies by their content coding.
//
//   auto decoder = compression::make_decoder("gzip");
//   while (decoder->read(bytes, content) == Decoder::Status::need_more && !bytes.empty()) { … }
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace fw::compression {

/// Decompresses one body. Used by one thread at a time.
class Decoder {
 public:
  enum class Status {
    need_more,
    complete,  ///< the compressed body has ended; must not be called again
    malformed,
  };

  virtual ~Decoder() = default;
  /// Consumes from `bytes`, advancing it, and appends at most 16 KiB to `out`. After `need_more` it
  /// must be called again, with further bytes if nothing was appended. Throws std::bad_alloc.
  virtual Status read(std::string_view& bytes, std::string& out) = 0;
  /// The bytes that it has allocated; the body may ask for more while it is read.
  virtual std::size_t memory() const = 0;
};

/// A decoder for a Content-Encoding in any case: gzip, x-gzip, deflate, br or zstd. Null for
/// others, for several codings, and for one that is not available. Throws std::bad_alloc.
std::unique_ptr<Decoder> make_decoder(std::string_view coding);

/// The available codings, as in Accept-Encoding; "identity" if there are none.
std::string_view decodable_codings();

}  // namespace fw::compression
