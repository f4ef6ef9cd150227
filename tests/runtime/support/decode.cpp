#include "support/decode.hpp"

#include <brotli/decode.h>
#include <memory>
#include <stdexcept>
#include <zlib.h>
#include <zstd.h>

namespace fw::support {
namespace {

constexpr std::size_t kRoom = 1 << 20;

struct Decoded {
  std::string content;
  bool is_whole = false;
};

Decoded gunzip(std::string_view bytes) {
  Decoded decoded;
  z_stream stream{};
  if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) throw std::bad_alloc();
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  int status = Z_OK;
  while (status == Z_OK) {
    const std::size_t size = decoded.content.size();
    decoded.content.resize(size + kRoom);
    stream.next_out = reinterpret_cast<Bytef*>(decoded.content.data()) + size;
    stream.avail_out = kRoom;
    status = inflate(&stream, Z_SYNC_FLUSH);
    decoded.content.resize(size + kRoom - stream.avail_out);
  }
  decoded.is_whole = status == Z_STREAM_END && stream.avail_in == 0;
  inflateEnd(&stream);
  return decoded;
}

Decoded unbrotli(std::string_view bytes) {
  Decoded decoded;
  const std::unique_ptr<BrotliDecoderState, decltype(&BrotliDecoderDestroyInstance)> state(
      BrotliDecoderCreateInstance(nullptr, nullptr, nullptr), &BrotliDecoderDestroyInstance);
  const auto* in = reinterpret_cast<const std::uint8_t*>(bytes.data());
  std::size_t left = bytes.size();
  BrotliDecoderResult status = BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT;
  while (status == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT) {
    const std::size_t size = decoded.content.size();
    decoded.content.resize(size + kRoom);
    auto* out = reinterpret_cast<std::uint8_t*>(decoded.content.data()) + size;
    std::size_t room = kRoom;
    status = BrotliDecoderDecompressStream(state.get(), &left, &in, &room, &out, nullptr);
    decoded.content.resize(size + kRoom - room);
  }
  decoded.is_whole = status == BROTLI_DECODER_RESULT_SUCCESS && left == 0;
  return decoded;
}

Decoded unzstd(std::string_view bytes) {
  Decoded decoded;
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(),
                                                                     &ZSTD_freeDCtx);
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  std::size_t hint = 1;
  while (hint != 0 && ZSTD_isError(hint) == 0) {
    const std::size_t size = decoded.content.size();
    decoded.content.resize(size + kRoom);
    ZSTD_outBuffer out{decoded.content.data() + size, kRoom, 0};
    hint = ZSTD_decompressStream(context.get(), &out, &in);
    decoded.content.resize(size + out.pos);
    if (in.pos == in.size && out.pos < kRoom) break;
  }
  decoded.is_whole = hint == 0 && in.pos == in.size;
  return decoded;
}

Decoded decode_some(std::string_view coding, std::string_view bytes) {
  if (coding == "gzip") return gunzip(bytes);
  if (coding == "br") return unbrotli(bytes);
  if (coding == "zstd") return unzstd(bytes);
  throw std::runtime_error("no such coding: " + std::string(coding));
}

}  // namespace

std::string decode(std::string_view coding, std::string_view bytes) {
  Decoded decoded = decode_some(coding, bytes);
  if (!decoded.is_whole) throw std::runtime_error("not a whole body: " + std::string(coding));
  return std::move(decoded.content);
}

std::string decode_beginning(std::string_view coding, std::string_view bytes) {
  return decode_some(coding, bytes).content;
}

}  // namespace fw::support
