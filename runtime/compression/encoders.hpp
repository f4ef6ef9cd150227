// The encoders and decoders of each coding, and how a body is completed in it; coding.cpp chooses
// among them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "compression/coding.hpp"
#include "compression/decoder.hpp"

namespace fw::compression {

/// Room that encoders and decoders add to their output at a time.
inline constexpr std::size_t kOutputStep = 16 * 1024;

/// The binary logarithm of a window that a body of this size fits into, between two bounds.
inline int window_bits(std::optional<std::uint64_t> size, int least, int most) {
  if (!size) return most;
  return std::clamp(static_cast<int>(std::bit_width(*size)), least, most);
}

std::unique_ptr<Encoder> make_gzip_encoder(int level, std::optional<std::uint64_t> size);
std::unique_ptr<Encoder> make_brotli_encoder(int level, std::optional<std::uint64_t> size);
std::unique_ptr<Encoder> make_zstd_encoder(int level, std::optional<std::uint64_t> size);

std::unique_ptr<Decoder> make_gzip_decoder();
/// In the format of zlib, or without a header, as some servers send it.
std::unique_ptr<Decoder> make_deflate_decoder();
std::unique_ptr<Decoder> make_brotli_decoder();
std::unique_ptr<Decoder> make_zstd_decoder();

/// Appends what `complete_gzip` must know of the bytes that the beginning was made of.
void append_gzip_state(std::string_view bytes, std::string& beginning);
void complete_gzip(std::string& body, std::string_view end);
void complete_brotli(std::string& body, std::string_view end);
void complete_zstd(std::string& body, std::string_view end);

}  // namespace fw::compression
