// Content codings: compressed forms of response bodies (RFC 9110, 8.4.1).
//
//   auto encoder = compression::make_encoder(Coding::gzip, 6, std::nullopt);
//   encoder->write(bytes, Encoder::Flush::finish, compressed);
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace fw::compression {

enum class Coding : std::uint8_t { gzip, brotli, zstd };

inline constexpr std::array kCodings = {Coding::gzip, Coding::brotli, Coding::zstd};

/// "gzip", "br" or "zstd".
std::string_view name_of(Coding coding);
std::optional<Coding> coding_of(std::string_view name);
/// Whether the library was built with the coding.
bool is_available(Coding coding);

/// Compresses one body. Used by one thread at a time.
class Encoder {
 public:
  enum class Flush {
    none,    ///< may keep bytes back
    block,   ///< a client can decode everything written so far
    finish,  ///< the body ends here; nothing may be written afterwards
  };

  virtual ~Encoder() = default;
  /// Appends to `out` what the bytes become. Throws std::bad_alloc.
  virtual void write(std::string_view bytes, Flush flush, std::string& out) = 0;
};

/// `size` is the size of the whole body, if it is known: small bodies then need little memory.
/// Throws std::bad_alloc, and std::logic_error for a coding that is not available.
std::unique_ptr<Encoder> make_encoder(Coding coding, int level, std::optional<std::uint64_t> size);

std::string compress(Coding coding, int level, std::string_view bytes);

/// An encoder for a stream, which may be kept as long as its client reads. Its window is small: for
/// text, four megabytes would save one percent, and take ten times the memory.
std::unique_ptr<Encoder> make_stream_encoder(Coding coding, int level,
                                             std::optional<std::uint64_t> size);
/// The memory of such an encoder, at most.
std::size_t stream_encoder_memory(Coding coding, int level);

/// The inverse of `compress` with gzip; nothing for other bytes, and in builds without zlib.
std::optional<std::string> decompress_gzip(std::string_view bytes);
/// The inverse of `compress` with zstd; nothing for other bytes, and in builds without zstd.
std::optional<std::string> decompress_zstd(std::string_view bytes);

/// Compresses the beginning that several bodies share, which must not be empty. Only `complete` can
/// use the result.
std::string compress_beginning(Coding coding, int level, std::string_view bytes);

/// The body that consists of such a beginning and of `end`. `end` is stored without compression, so
/// this takes little more time than a copy.
std::string complete(Coding coding, std::string_view beginning, std::string_view end);

}  // namespace fw::compression
