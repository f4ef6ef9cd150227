// zstd (RFC 8878) with Meta's library.
#include <new>
#include <zstd.h>

#include "compression/encoders.hpp"

namespace fw::compression {
namespace {

constexpr int kMinZstdWindow = 10;
constexpr int kMaxZstdWindow = 21;  // 2 MiB
constexpr int kSmallWindow = 16;
constexpr int kMaxDecodedWindow = 23;  // 8 MiB (RFC 9659)
/// No block is larger than the window.
constexpr std::size_t kMaxRawBlock = std::size_t{1} << kMinZstdWindow;

constexpr std::uint64_t kMaxDecompressed = std::uint64_t{1} << 30;

struct ZstdDeleter {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

class ZstdEncoder : public Encoder {
 public:
  ZstdEncoder(int level, std::optional<std::uint64_t> size) : context_(ZSTD_createCCtx()) {
    if (!context_) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level);
    const int window = window_bits(size, kMinZstdWindow, kMaxZstdWindow);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_windowLog, window);
    // The tables of a level are for large windows.
    if (window <= kSmallWindow) {
      ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_hashLog, kSmallWindow + 1);
      ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_chainLog, kSmallWindow);
    }
  }

  void write(std::string_view bytes, Flush flush, std::string& out) override {
    const auto mode = flush == Flush::finish  ? ZSTD_e_end
                      : flush == Flush::block ? ZSTD_e_flush
                                              : ZSTD_e_continue;
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    std::size_t left = 0;
    do {
      const std::size_t size = out.size();
      out.resize(size + kOutputStep);
      ZSTD_outBuffer output{out.data() + size, kOutputStep, 0};
      left = ZSTD_compressStream2(context_.get(), &output, &in, mode);
      out.resize(size + output.pos);
      if (ZSTD_isError(left) != 0) throw std::bad_alloc();
    } while (mode == ZSTD_e_continue ? in.pos < in.size : left > 0);
  }

 private:
  std::unique_ptr<ZSTD_CCtx, ZstdDeleter> context_;
};

class ZstdDecoder : public Decoder {
 public:
  ZstdDecoder() : context_(ZSTD_createDCtx()) {
    if (!context_) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, kMaxDecodedWindow);
  }

  Status read(std::string_view& bytes, std::string& out) override {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    const std::size_t size = out.size();
    out.resize(size + kOutputStep);
    ZSTD_outBuffer output{out.data() + size, kOutputStep, 0};
    const std::size_t left = ZSTD_decompressStream(context_.get(), &output, &in);
    out.resize(size + output.pos);
    bytes.remove_prefix(in.pos);
    if (ZSTD_isError(left) != 0) return Status::malformed;
    return left == 0 ? Status::complete : Status::need_more;
  }
  std::size_t memory() const override { return ZSTD_sizeof_DCtx(context_.get()); }

 private:
  std::unique_ptr<ZSTD_DCtx, ZstdDeleter> context_;
};

}  // namespace

std::unique_ptr<Decoder> make_zstd_decoder() { return std::make_unique<ZstdDecoder>(); }

std::unique_ptr<Encoder> make_zstd_encoder(int level, std::optional<std::uint64_t> size) {
  return std::make_unique<ZstdEncoder>(level, size);
}

std::optional<std::string> decompress_zstd(std::string_view bytes) {
  const std::uint64_t size = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  // Both values that mean "unknown" or "error" are larger.
  if (size > kMaxDecompressed) return std::nullopt;
  std::string content(static_cast<std::size_t>(size), '\0');
  const std::size_t written =
      ZSTD_decompress(content.data(), content.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(written) != 0 || written != content.size()) return std::nullopt;
  return content;
}

/// Raw blocks.
void complete_zstd(std::string& body, std::string_view end) {
  do {
    const auto block = end.substr(0, kMaxRawBlock);
    end.remove_prefix(block.size());
    // From the lowest bit: whether it is the last one; raw (two bits of zero); the length.
    const std::size_t header = block.size() << 3U | (end.empty() ? 1U : 0U);
    for (unsigned shift = 0; shift < 24; shift += 8) {
      body += static_cast<char>((header >> shift) & 0xFFU);
    }
    body += block;
  } while (!end.empty());
}

}  // namespace fw::compression
