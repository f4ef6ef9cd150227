// Finds the files of requests without a route, and responds with them (docs/static-files.md).
#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/open_file.hpp"
#include "base/random.hpp"
#include "chain/error_response.hpp"
#include "chain/stages.hpp"
#include "errors/messages.hpp"
#include "exchange/readable_source.hpp"
#include "features/cache/preconditions.hpp"
#include "features/compression/compression_stage.hpp"
#include "features/static_files/byte_ranges.hpp"
#include "features/static_files/static_file_set.hpp"
#include "http/http_date.hpp"

namespace fw::detail {
namespace {

constexpr std::int64_t kNanoseconds = 1'000'000'000;
constexpr std::string_view kMethods = "GET, HEAD";

http::FilePart part_of(const std::shared_ptr<const OpenFile>& file, const ByteRange& range) {
  return {file, file->descriptor(), range.first, range.size};
}

/// A body of type multipart/byteranges: texts and parts of the file in turn.
class MultipartRanges {
 public:
  MultipartRanges(const std::shared_ptr<const OpenFile>& file, std::string_view content_type,
                  std::uint64_t size, const std::vector<ByteRange>& ranges)
      : boundary_(base::make_uuid()) {
    for (const ByteRange& range : ranges) {
      add_text(fmt::format("\r\n--{}\r\nContent-Type: {}\r\nContent-Range: {}\r\n\r\n", boundary_,
                           content_type, content_range(range, size)));
      size_ += range.size;
      pieces_.push_back({.text = {}, .part = part_of(file, range)});
    }
    add_text(fmt::format("\r\n--{}--\r\n", boundary_));
  }

  std::string content_type() const { return "multipart/byteranges; boundary=" + boundary_; }
  std::uint64_t size() const { return size_; }

  Readable take() {
    return Readable([pieces = std::move(pieces_), at = std::size_t{0},
                     sent = std::size_t{0}](std::span<char> buffer) mutable -> std::size_t {
      for (; at < pieces.size(); ++at, sent = 0) {
        const std::size_t count = pieces[at].text.copy(buffer.data(), buffer.size(), sent);
        sent += count;
        if (count > 0) return count;
        const std::size_t read = http::read_next(pieces[at].part, buffer);
        if (read > 0) return read;
      }
      return 0;
    });
  }

 private:
  struct Piece {
    std::string text;
    http::FilePart part;
  };

  void add_text(std::string text) {
    size_ += text.size();
    pieces_.push_back({.text = std::move(text), .part = {}});
  }

  std::string boundary_;
  std::uint64_t size_ = 0;
  std::vector<Piece> pieces_;
};

class StaticFilesStage : public Stage {
 public:
  explicit StaticFilesStage(const StaticFiles& files) : files_(files) {}

  void run(Exchange& exchange, const NextStages& next) const override {
    if (exchange.outgoing.is_set() || !find_file(exchange, files_)) return next(exchange);
    StaticFile* const found = exchange.slots.get<StaticFile>();
    if (exchange.head.method != "GET" && exchange.head.method != "HEAD") {
      if (!exchange.allow) exchange.allow = std::make_unique<const std::string>(kMethods);
      return next(exchange);
    }
    if (found->redirect.empty()) return respond(exchange, *found);
    if (!exchange.query().empty()) found->redirect.append("?").append(exchange.query());
    exchange.outgoing.redirect(found->redirect, 301);
  }

 private:
  /// When the file was changed last; nothing for a time in the future, which no response may have.
  static std::optional<std::int64_t> time_of(const OpenFile& file) {
    const std::int64_t seconds = file.modified() / kNanoseconds;
    // Not std::time, whose clock may lag behind the clock of the file system.
    const auto now = std::chrono::system_clock::now();
    if (seconds > std::chrono::system_clock::to_time_t(now)) return std::nullopt;
    return seconds;
  }

  static void respond(Exchange& exchange, StaticFile& found) {
    OutgoingResponse& response = exchange.outgoing;
    set_representation(response, found);
    const bool is_compressed = negotiate_coding(exchange, found.size()).has_value();
    const std::string tag(response.field("etag").value_or(""));
    const auto modified = time_of(*found.file);
    const Validators validators{tag, modified};
    switch (Preconditions(exchange).evaluate(validators)) {
      case Precondition::met:
        break;
      case Precondition::failed:
        throw status_error(412);
      case Precondition::not_modified:
        remove_body_fields(response.fields);
        set_cache_control(response, found);
        response.status = 304;
        return response.end();
    }
    if (modified) response.set_field("last-modified", http::format_http_date(*modified));
    // Bytes that are compressed while they are sent have no ranges.
    if (is_compressed) return send(response, found, {0, found.size()});
    response.set_field("accept-ranges", "bytes");
    const auto range = exchange.header("range");
    if (!range || exchange.head.method != "GET" || !allows_range(exchange, validators)) {
      return send(response, found, {0, found.size()});
    }
    send_ranges(response, found, *range);
  }

  static void set_representation(OutgoingResponse& response, const StaticFile& found) {
    response.set_field("content-type", found.content_type);
    response.set_field("x-content-type-options", "nosniff");
    response.set_field("etag", found.entity_tag());
    if (found.may_be_precompressed) response.add_vary("Accept-Encoding");
    if (found.coding) response.set_field("content-encoding", compression::name_of(*found.coding));
  }

  static void set_cache_control(OutgoingResponse& response, const StaticFile& found) {
    if (!found.cache_control.empty()) response.set_field("cache-control", found.cache_control);
  }

  static void send(OutgoingResponse& response, StaticFile& found, const ByteRange& range) {
    set_cache_control(response, found);
    const auto file = std::make_shared<const OpenFile>(std::move(*found.file));
    response.stream(ReadableSource::make(part_of(file, range)), found.content_type);
  }

  static void send_ranges(OutgoingResponse& response, StaticFile& found, std::string_view field) {
    const std::uint64_t size = found.size();
    const auto selected = select_ranges(field, size);
    if (std::holds_alternative<UnsatisfiableRange>(selected)) {
      response.set_field("content-range", fmt::format("bytes */{}", size));
      throw status_error(416);
    }
    const auto* ranges = std::get_if<std::vector<ByteRange>>(&selected);
    // Clients decode the whole body by Content-Encoding, also the text between the parts.
    const bool is_multipart = ranges != nullptr && ranges->size() > 1;
    if (ranges == nullptr || (is_multipart && found.coding)) {
      return send(response, found, {0, size});
    }
    response.status = 206;
    if (!is_multipart) {
      response.set_field("content-range", content_range(ranges->front(), size));
      return send(response, found, ranges->front());
    }
    set_cache_control(response, found);
    const auto file = std::make_shared<const OpenFile>(std::move(*found.file));
    MultipartRanges body(file, found.content_type, size, *ranges);
    response.set_field("content-length", std::to_string(body.size()));
    response.stream(body.take(), body.content_type());
  }

  const StaticFiles& files_;
};

}  // namespace

bool find_file(Exchange& exchange, const StaticFiles& files) {
  if (files.empty()) return false;
  const std::string_view accept = exchange.header("accept").value_or("");
  auto file = files.find({.path = exchange.path,
                          .accept_encoding = exchange.header("accept-encoding"),
                          .is_navigation = accept.find("text/html") != std::string_view::npos},
                         exchange.env.compression);
  // Caches must send neither the fallback nor its absence to clients that accept something else.
  if (file ? file->is_fallback : files.has_fallback(exchange.path)) {
    exchange.outgoing.add_vary("Accept");
  }
  if (file) exchange.slots.set(std::move(*file));
  return file.has_value();
}

Stages static_files_stage(const StageContext& context) {
  if (context.route != nullptr || context.files.empty()) return {};
  return one_stage<StaticFilesStage>(context.files);
}

}  // namespace fw::detail
