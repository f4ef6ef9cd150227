#include "compression/coding.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/ascii.hpp"
#include "base/content_codings.hpp"
#include "compression/encoders.hpp"

namespace fw::compression {
namespace {

struct Implementation {
  std::unique_ptr<Encoder> (*make_encoder)(int level, std::optional<std::uint64_t> size) = nullptr;
  void (*complete)(std::string& body, std::string_view end) = nullptr;
  void (*append_state)(std::string_view bytes, std::string& beginning) = nullptr;
};

// In the order of Coding.
constexpr Implementation kImplementations[] = {
#if FAIRWAY_GZIP
    {make_gzip_encoder, complete_gzip, append_gzip_state},
#else
    {},
#endif
#if FAIRWAY_BROTLI
    {make_brotli_encoder, complete_brotli},
#else
    {},
#endif
#if FAIRWAY_ZSTD
    {make_zstd_encoder, complete_zstd},
#else
    {},
#endif
};

const Implementation& of(Coding coding) { return kImplementations[static_cast<int>(coding)]; }

}  // namespace

std::string_view name_of(Coding coding) {
  return base::kContentCodings[static_cast<std::size_t>(coding)];
}

std::optional<Coding> coding_of(std::string_view name) {
  for (const Coding coding : kCodings) {
    if (name_of(coding) == name) return coding;
  }
  return std::nullopt;
}

bool is_available(Coding coding) { return of(coding).make_encoder != nullptr; }

std::unique_ptr<Encoder> make_encoder(Coding coding, int level, std::optional<std::uint64_t> size) {
  if (!is_available(coding)) {
    throw std::logic_error("this build has no coding " + std::string(name_of(coding)));
  }
  return of(coding).make_encoder(level, size);
}

std::string compress(Coding coding, int level, std::string_view bytes) {
  std::string compressed;
  make_encoder(coding, level, bytes.size())->write(bytes, Encoder::Flush::finish, compressed);
  return compressed;
}

std::unique_ptr<Encoder> make_stream_encoder(Coding coding, int level,
                                             std::optional<std::uint64_t> size) {
  constexpr std::uint64_t kMaxWindow = 65'535;
  return make_encoder(coding, level, std::min(size.value_or(kMaxWindow), kMaxWindow));
}

std::size_t stream_encoder_memory(Coding coding, int level) {
  // Measured with six megabytes of text.
  constexpr std::size_t kKilobyte = 1024;
  switch (coding) {
    case Coding::gzip:
      return 300 * kKilobyte;
    case Coding::brotli:
      return (level < 2 ? 150 : level < 4 ? 900 : level < 9 ? 1'800 : 2'600) * kKilobyte;
    case Coding::zstd:
      return (level < 13 ? 1'300 : 1'800) * kKilobyte;
  }
  return 0;
}

namespace {

struct NamedDecoder {
  std::string_view name;
  std::unique_ptr<Decoder> (*make)();
};

constexpr NamedDecoder kDecoders[] = {
#if FAIRWAY_GZIP
    {"gzip", make_gzip_decoder},
    {"x-gzip", make_gzip_decoder},
    {"deflate", make_deflate_decoder},
#endif
#if FAIRWAY_BROTLI
    {"br", make_brotli_decoder},
#endif
#if FAIRWAY_ZSTD
    {"zstd", make_zstd_decoder},
#endif
    {"", nullptr},
};

}  // namespace

std::unique_ptr<Decoder> make_decoder(std::string_view coding) {
  for (const auto& [name, make] : kDecoders) {
    if (make != nullptr && base::equal_ignoring_case(name, coding)) return make();
  }
  return nullptr;
}

std::string_view decodable_codings() {
  static const std::string codings = [] {
    std::string names;
    for (const auto& [name, make] : kDecoders) {
      if (make == nullptr || name.starts_with("x-")) continue;
      names.append(names.empty() ? "" : ", ").append(name);
    }
    return names.empty() ? "identity" : names;
  }();
  return codings;
}

#if !FAIRWAY_GZIP
std::optional<std::string> decompress_gzip(std::string_view) { return std::nullopt; }
#endif

#if !FAIRWAY_ZSTD
std::optional<std::string> decompress_zstd(std::string_view) { return std::nullopt; }
#endif

std::string compress_beginning(Coding coding, int level, std::string_view bytes) {
  std::string beginning;
  make_encoder(coding, level, bytes.size())->write(bytes, Encoder::Flush::block, beginning);
  if (of(coding).append_state != nullptr) of(coding).append_state(bytes, beginning);
  beginning.shrink_to_fit();
  return beginning;
}

std::string complete(Coding coding, std::string_view beginning, std::string_view end) {
  std::string body;
  body.reserve(beginning.size() + end.size() + 64);
  body = beginning;
  of(coding).complete(body, end);
  return body;
}

}  // namespace fw::compression
