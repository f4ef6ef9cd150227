#include "http/websocket/permessage_deflate.hpp"

#include <algorithm>
#include <new>
#include <utility>
#if FAIRWAY_GZIP
#include <zlib.h>
#endif

#include "base/ascii.hpp"
#include "base/parse_number.hpp"

namespace fw::http::websocket {

#if FAIRWAY_GZIP

namespace {

constexpr int kMaxWindow = 15;
/// The least of zlib: with 8, it would write a window of 9.
constexpr int kMinWindow = 9;
/// Of the client; any value of the RFC.
constexpr int kMinClientWindow = 8;
/// In one message. Each costs room for what it may decompress to.
constexpr int kMaxStreams = 64;
/// What a sync flush appends, and RFC 7692 leaves out.
constexpr std::string_view kTail{"\x00\x00\xff\xff", 4};

const Bytef* bytes_of(std::string_view text) { return reinterpret_cast<const Bytef*>(text.data()); }

/// "10", or nothing for another text.
std::optional<int> window_of(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    text = text.substr(1, text.size() - 2);
  }
  const auto bits = base::parse_number<int>(text);
  const bool is_window =
      bits && text.front() != '0' && *bits >= kMinClientWindow && *bits <= kMaxWindow;
  return is_window ? bits : std::nullopt;
}

/// The parameters of an offer, each of which may be there once.
class Offer {
 public:
  bool add(std::string_view parameter) {
    const auto equals = parameter.find('=');
    const bool has_value = equals != std::string_view::npos;
    const auto name = base::trim_ows(parameter.substr(0, equals));
    const auto value = has_value ? base::trim_ows(parameter.substr(equals + 1)) : "";
    if (name == "server_no_context_takeover") return !has_value && note(0);
    if (name == "client_no_context_takeover") return !has_value && note(1);
    if (name == "client_max_window_bits") return (!has_value || window_of(value)) && note(2);
    if (name != "server_max_window_bits" || !note(3)) return false;
    const auto bits = window_of(value);
    if (!bits || *bits < kMinWindow) return false;
    server_window = bits;
    return true;
  }

  std::optional<int> server_window;

 private:
  bool note(unsigned bit) {
    const unsigned before = std::exchange(seen_, seen_ | 1U << bit);
    return before != seen_;
  }

  unsigned seen_ = 0;
};

std::optional<Deflate> accept(std::string_view extension) {
  Offer offer;
  bool is_first = true;
  bool is_valid = true;
  base::for_each_token(extension, ';', [&](std::string_view part) {
    part = base::trim_ows(part);
    if (std::exchange(is_first, false)) {
      is_valid = part == "permessage-deflate";
    } else {
      is_valid = is_valid && offer.add(part);
    }
  });
  if (!is_valid) return std::nullopt;
  Deflate chosen{
      .window_bits = offer.server_window.value_or(kMaxWindow),
      .response = "permessage-deflate; server_no_context_takeover; client_no_context_takeover"};
  if (offer.server_window) {
    chosen.response += "; server_max_window_bits=" + std::to_string(*offer.server_window);
  }
  return chosen;
}

/// The state of zlib for one message after the other. Most of what a message costs beside its bytes
/// is clearing the table of hashes, whose size follows from the memory level.
class Deflater {
 public:
  Deflater(int window_bits, int memory_level) {
    if (deflateInit2(&stream_, Z_BEST_SPEED, Z_DEFLATED, -window_bits, memory_level,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~Deflater() { deflateEnd(&stream_); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  std::string compress(std::string_view message) {
    deflateReset(&stream_);
    std::string payload;
    // zlib counts in 32 bits; messages have less.
    stream_.next_in = const_cast<Bytef*>(bytes_of(message));
    stream_.avail_in = static_cast<uInt>(message.size());
    do {
      const std::size_t size = payload.size();
      const std::size_t step = message.size() / 2 + 64;
      payload.resize(size + step);
      stream_.next_out = reinterpret_cast<Bytef*>(payload.data()) + size;
      stream_.avail_out = static_cast<uInt>(step);
      deflate(&stream_, Z_SYNC_FLUSH);
      payload.resize(size + step - stream_.avail_out);
    } while (stream_.avail_out == 0);
    payload.resize(payload.size() - kTail.size());
    return payload;
  }

 private:
  z_stream stream_{};
};

class Inflater {
 public:
  Inflater() {
    if (inflateInit2(&stream_, -kMaxWindow) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  Decompressed decompress(std::string_view payload, std::size_t most, std::string& message) {
    inflateReset(&stream_);
    int ends = 0;
    for (const std::string_view part : {payload, kTail}) {
      stream_.next_in = const_cast<Bytef*>(bytes_of(part));
      stream_.avail_in = static_cast<uInt>(part.size());
      do {
        const std::size_t size = message.size();
        // A byte more than is allowed shows that there is more.
        const std::size_t step = std::min<std::size_t>(std::max<std::size_t>(size, 1024),
                                                       most - std::min(size, most) + 1);
        message.resize(size + step);
        stream_.next_out = reinterpret_cast<Bytef*>(message.data()) + size;
        stream_.avail_out = static_cast<uInt>(step);
        const int result = inflate(&stream_, Z_SYNC_FLUSH);
        message.resize(size + step - stream_.avail_out);
        if (result == Z_MEM_ERROR) throw std::bad_alloc();
        if (message.size() > most) return Decompressed::too_large;
        if (result == Z_STREAM_END) {
          if (++ends > kMaxStreams) return Decompressed::malformed;
          inflateReset(&stream_);  // the last block of a stream, after which another one may begin
        } else if (result != Z_OK && result != Z_BUF_ERROR) {
          return Decompressed::malformed;
        }
        if (result == Z_BUF_ERROR && stream_.avail_out > 0) break;
      } while (stream_.avail_in > 0 || stream_.avail_out == 0);
      if (stream_.avail_in > 0) return Decompressed::malformed;
    }
    return Decompressed::complete;
  }

 private:
  z_stream stream_{};
};

}  // namespace

bool has_deflate() { return true; }

std::optional<Deflate> choose_deflate(std::string_view offers) {
  std::optional<Deflate> chosen;
  base::for_each_token(offers, ',', [&](std::string_view offer) {
    if (!chosen) chosen = accept(base::trim_ows(offer));
  });
  return chosen;
}

std::string compress(std::string_view message, int window_bits) {
  constexpr int kMiddleWindow = 12;
  if (window_bits == kMaxWindow) {
    thread_local Deflater large(kMaxWindow, 8);
    return large.compress(message);
  }
  // A smaller window than agreed on is allowed.
  if (window_bits >= kMiddleWindow) {
    thread_local Deflater middle(kMiddleWindow, 5);
    return middle.compress(message);
  }
  thread_local Deflater small(kMinWindow, 4);
  return small.compress(message);
}

Decompressed decompress(std::string_view payload, std::size_t most, std::string& message) {
  thread_local Inflater inflater;
  return inflater.decompress(payload, most, message);
}

#else

bool has_deflate() { return false; }
std::optional<Deflate> choose_deflate(std::string_view) { return std::nullopt; }
std::string compress(std::string_view, int) { return {}; }
Decompressed decompress(std::string_view, std::size_t, std::string&) {
  return Decompressed::malformed;
}

#endif

}  // namespace fw::http::websocket
