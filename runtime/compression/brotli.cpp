// br (RFC 7932) with Google's library.
#include <algorithm>
#include <brotli/decode.h>
#include <brotli/encode.h>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <new>

#include "compression/encoders.hpp"

namespace fw::compression {
namespace {

constexpr int kMaxBrotliWindow = 22;  // 4 MiB
constexpr std::size_t kMaxUncompressedBlock = 65'536;

struct BrotliDeleter {
  void operator()(BrotliEncoderState* state) const { BrotliEncoderDestroyInstance(state); }
  void operator()(BrotliDecoderState* state) const { BrotliDecoderDestroyInstance(state); }
};

class BrotliEncoder : public Encoder {
 public:
  BrotliEncoder(int level, std::optional<std::uint64_t> size)
      : state_(BrotliEncoderCreateInstance(nullptr, nullptr, nullptr)) {
    if (!state_) throw std::bad_alloc();
    const auto set = [&](BrotliEncoderParameter parameter, std::uint64_t value) {
      BrotliEncoderSetParameter(state_.get(), parameter, static_cast<std::uint32_t>(value));
    };
    set(BROTLI_PARAM_QUALITY, static_cast<std::uint64_t>(level));
    set(BROTLI_PARAM_LGWIN,
        static_cast<std::uint64_t>(window_bits(size, BROTLI_MIN_WINDOW_BITS, kMaxBrotliWindow)));
    if (size) {
      set(BROTLI_PARAM_SIZE_HINT,
          std::min<std::uint64_t>(*size, std::numeric_limits<std::uint32_t>::max()));
    }
  }

  void write(std::string_view bytes, Flush flush, std::string& out) override {
    const auto operation = flush == Flush::finish  ? BROTLI_OPERATION_FINISH
                           : flush == Flush::block ? BROTLI_OPERATION_FLUSH
                                                   : BROTLI_OPERATION_PROCESS;
    const auto* in = reinterpret_cast<const std::uint8_t*>(bytes.data());
    std::size_t left = bytes.size();
    do {
      std::size_t room = 0;
      if (BrotliEncoderCompressStream(state_.get(), operation, &left, &in, &room, nullptr,
                                      nullptr) == BROTLI_FALSE) {
        throw std::bad_alloc();
      }
      std::size_t size = 0;
      const std::uint8_t* output = BrotliEncoderTakeOutput(state_.get(), &size);
      if (size > 0) out.append(reinterpret_cast<const char*>(output), size);
    } while (left > 0 || BrotliEncoderHasMoreOutput(state_.get()) == BROTLI_TRUE);
  }

 private:
  std::unique_ptr<BrotliEncoderState, BrotliDeleter> state_;
};

/// Counts what the library allocates, because it does not say it.
class CountingAllocator {
 public:
  static void* allocate(void* self, std::size_t size) noexcept {
    auto* const block = static_cast<Block*>(std::malloc(sizeof(Block) + size));
    if (block == nullptr) return nullptr;
    block->size = size;
    static_cast<CountingAllocator*>(self)->used_ += size;
    return block + 1;
  }
  static void free(void* self, void* memory) noexcept {
    if (memory == nullptr) return;
    auto* const block = static_cast<Block*>(memory) - 1;
    static_cast<CountingAllocator*>(self)->used_ -= block->size;
    std::free(block);
  }
  std::size_t used() const { return used_; }

 private:
  struct alignas(std::max_align_t) Block {
    std::size_t size;
  };

  std::size_t used_ = 0;
};

class BrotliDecoder : public Decoder {
 public:
  BrotliDecoder()
      : state_(BrotliDecoderCreateInstance(&CountingAllocator::allocate, &CountingAllocator::free,
                                           &allocator_)) {
    if (!state_) throw std::bad_alloc();
  }
  BrotliDecoder(const BrotliDecoder&) = delete;  // the library refers to the allocator
  BrotliDecoder& operator=(const BrotliDecoder&) = delete;

  Status read(std::string_view& bytes, std::string& out) override {
    const auto* in = reinterpret_cast<const std::uint8_t*>(bytes.data());
    std::size_t left = bytes.size();
    const std::size_t size = out.size();
    out.resize(size + kOutputStep);
    auto* to = reinterpret_cast<std::uint8_t*>(out.data()) + size;
    std::size_t room = kOutputStep;
    const auto result =
        BrotliDecoderDecompressStream(state_.get(), &left, &in, &room, &to, nullptr);
    out.resize(size + kOutputStep - room);
    bytes.remove_prefix(bytes.size() - left);
    if (result == BROTLI_DECODER_RESULT_SUCCESS) return Status::complete;
    return result == BROTLI_DECODER_RESULT_ERROR ? Status::malformed : Status::need_more;
  }
  std::size_t memory() const override { return allocator_.used(); }

 private:
  CountingAllocator allocator_;
  std::unique_ptr<BrotliDecoderState, BrotliDeleter> state_;
};

}  // namespace

std::unique_ptr<Decoder> make_brotli_decoder() { return std::make_unique<BrotliDecoder>(); }

std::unique_ptr<Encoder> make_brotli_encoder(int level, std::optional<std::uint64_t> size) {
  return std::make_unique<BrotliEncoder>(level, size);
}

/// Uncompressed meta-blocks, and a last one that is empty.
void complete_brotli(std::string& body, std::string_view end) {
  while (!end.empty()) {
    const auto block = end.substr(0, kMaxUncompressedBlock);
    end.remove_prefix(block.size());
    // From the lowest bit: not the last; the length in four nibbles, less one; uncompressed.
    const std::size_t header = (block.size() - 1) << 3U | std::size_t{1} << 19U;
    for (unsigned shift = 0; shift < 24; shift += 8) {
      body += static_cast<char>((header >> shift) & 0xFFU);
    }
    body += block;
  }
  body += '\3';
}

}  // namespace fw::compression
