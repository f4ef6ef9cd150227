// gzip (RFC 1952, RFC 1951) with zlib.
#include <cstddef>
#include <limits>
#include <new>
#include <zlib.h>

#include "compression/encoders.hpp"

namespace fw::compression {
namespace {

constexpr int kGzipFormat = 16;  // added to the window bits
constexpr int kMinGzipWindow = 9;
constexpr int kMemoryLevel = 8;
constexpr std::size_t kStateSize = 8;
constexpr std::size_t kMaxStoredBlock = 65'535;

const Bytef* bytes_of(std::string_view text) { return reinterpret_cast<const Bytef*>(text.data()); }

void append_little_endian(std::string& out, std::uint32_t number, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>((number >> (8 * i)) & 0xFFU);
}

std::uint32_t read_little_endian(std::string_view bytes) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    number |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  return number;
}

class GzipEncoder : public Encoder {
 public:
  GzipEncoder(int level, std::optional<std::uint64_t> size) {
    const int window = window_bits(size, kMinGzipWindow, MAX_WBITS) + kGzipFormat;
    if (deflateInit2(&stream_, level, Z_DEFLATED, window, kMemoryLevel, Z_DEFAULT_STRATEGY) !=
        Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~GzipEncoder() override { deflateEnd(&stream_); }
  GzipEncoder(const GzipEncoder&) = delete;
  GzipEncoder& operator=(const GzipEncoder&) = delete;

  void write(std::string_view bytes, Flush flush, std::string& out) override {
    do {  // zlib counts in 32 bits
      const auto part = bytes.substr(0, std::numeric_limits<uInt>::max());
      bytes.remove_prefix(part.size());
      write_part(part, bytes.empty() ? flush : Flush::none, out);
    } while (!bytes.empty());
  }

 private:
  void write_part(std::string_view part, Flush flush, std::string& out) {
    const int mode = flush == Flush::finish  ? Z_FINISH
                     : flush == Flush::block ? Z_SYNC_FLUSH
                                             : Z_NO_FLUSH;
    stream_.next_in = const_cast<Bytef*>(bytes_of(part));
    stream_.avail_in = static_cast<uInt>(part.size());
    do {
      const std::size_t size = out.size();
      out.resize(size + kOutputStep);
      stream_.next_out = reinterpret_cast<Bytef*>(out.data()) + size;
      stream_.avail_out = static_cast<uInt>(kOutputStep);
      deflate(&stream_, mode);
      out.resize(size + kOutputStep - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }

  z_stream stream_{};
};

/// The window, and what zlib needs beside it.
constexpr std::size_t kDecoderMemory = (std::size_t{1} << MAX_WBITS) + 8 * 1024;

class ZlibDecoder : public Decoder {
 public:
  /// By a first byte; one of the formats of zlib.
  using ChooseWindow = int (*)(unsigned char first);

  explicit ZlibDecoder(ChooseWindow choose) : choose_(choose) {}
  ~ZlibDecoder() override {
    if (has_begun_) inflateEnd(&stream_);
  }
  ZlibDecoder(const ZlibDecoder&) = delete;
  ZlibDecoder& operator=(const ZlibDecoder&) = delete;

  Status read(std::string_view& bytes, std::string& out) override {
    if (!has_begun_) {
      if (bytes.empty()) return Status::need_more;
      const int window = choose_(static_cast<unsigned char>(bytes.front()));
      if (inflateInit2(&stream_, window) != Z_OK) throw std::bad_alloc();
      has_begun_ = true;
    }
    const auto part = bytes.substr(0, std::numeric_limits<uInt>::max());
    const std::size_t size = out.size();
    out.resize(size + kOutputStep);
    stream_.next_in = const_cast<Bytef*>(bytes_of(part));
    stream_.avail_in = static_cast<uInt>(part.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out.data()) + size;
    stream_.avail_out = static_cast<uInt>(kOutputStep);
    const int result = inflate(&stream_, Z_NO_FLUSH);
    out.resize(size + kOutputStep - stream_.avail_out);
    bytes.remove_prefix(part.size() - stream_.avail_in);
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    if (result == Z_STREAM_END) return Status::complete;
    return result == Z_OK || result == Z_BUF_ERROR ? Status::need_more : Status::malformed;
  }
  std::size_t memory() const override { return has_begun_ ? kDecoderMemory : 0; }

 private:
  const ChooseWindow choose_;
  bool has_begun_ = false;
  z_stream stream_{};
};

}  // namespace

std::unique_ptr<Decoder> make_gzip_decoder() {
  return std::make_unique<ZlibDecoder>([](unsigned char) { return MAX_WBITS + kGzipFormat; });
}

std::unique_ptr<Decoder> make_deflate_decoder() {
  return std::make_unique<ZlibDecoder>([](unsigned char first) {
    const bool has_header = (first & 0xFU) == Z_DEFLATED && first >> 4U <= MAX_WBITS - 8;
    return has_header ? MAX_WBITS : -MAX_WBITS;
  });
}

std::unique_ptr<Encoder> make_gzip_encoder(int level, std::optional<std::uint64_t> size) {
  return std::make_unique<GzipEncoder>(level, size);
}

std::optional<std::string> decompress_gzip(std::string_view bytes) {
  const auto decoder = make_gzip_decoder();
  std::string content;
  while (true) {
    const std::size_t size = content.size();
    const auto status = decoder->read(bytes, content);
    if (status == Decoder::Status::complete) return content;
    const bool is_stuck = bytes.empty() && content.size() == size;
    if (status == Decoder::Status::malformed || is_stuck) return std::nullopt;
  }
}

void append_gzip_state(std::string_view bytes, std::string& beginning) {
  append_little_endian(beginning,
                       static_cast<std::uint32_t>(crc32_z(0, bytes_of(bytes), bytes.size())), 4);
  append_little_endian(beginning, static_cast<std::uint32_t>(bytes.size()), 4);
}

void complete_gzip(std::string& body, std::string_view end) {
  const std::string_view state = std::string_view(body).substr(body.size() - kStateSize);
  const std::uint32_t crc_of_beginning = read_little_endian(state.substr(0, 4));
  const std::uint32_t size_of_beginning = read_little_endian(state.substr(4));
  body.resize(body.size() - kStateSize);
  const auto crc = static_cast<std::uint32_t>(crc32_z(crc_of_beginning, bytes_of(end), end.size()));
  const auto size = size_of_beginning + static_cast<std::uint32_t>(end.size());
  do {
    const auto block = end.substr(0, kMaxStoredBlock);
    end.remove_prefix(block.size());
    const auto length = static_cast<std::uint32_t>(block.size());
    body += end.empty() ? '\1' : '\0';  // whether it is the last one; stored
    append_little_endian(body, length, 2);
    append_little_endian(body, ~length, 2);
    body += block;
  } while (!end.empty());
  append_little_endian(body, crc, 4);
  append_little_endian(body, size, 4);
}

}  // namespace fw::compression
