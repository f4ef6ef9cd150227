// Compresses responses for clients that accept it (docs/compression.md).
#include "features/compression/compression_stage.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.hpp"
#include "chain/stages.hpp"
#include "exchange/readable_source.hpp"
#include "http/buffer_budget.hpp"
#include "http/response_head.hpp"

namespace fw::detail {
namespace {

using compression::Encoder;

constexpr std::string_view kAcceptEncoding = "accept-encoding";
constexpr std::string_view kContentEncoding = "content-encoding";
constexpr int kPartialContent = 206;
/// Bytes of a stream that are compressed at a time.
constexpr std::size_t kStreamStep = 16 * 1024;
/// Steps after which an encoder may not keep bytes back any longer: compressing zeros,
/// it would keep the bytes of seconds, in which the thread serves nobody else.
constexpr int kMaxKeptSteps = 16;

bool forbids_transforming(const OutgoingResponse& response) {
  bool forbids = false;
  base::for_each_token(response.field("cache-control").value_or(""), ',', [&](auto directive) {
    forbids = forbids || base::equal_ignoring_case(base::trim_ows(directive), "no-transform");
  });
  return forbids;
}

bool is_enabled_for(const Environment& env, const Route* route) {
  const compression::CompressionPolicy& policy = env.compression;
  if (policy.codings().empty()) return false;
  return route == nullptr ? policy.is_enabled()
                          : route->options.compression.value_or(policy.is_enabled());
}

/// An encoder with its part of the memory for all of them.
struct StreamEncoder {
  std::shared_ptr<http::BufferBudget> budget;
  http::BufferBudget::Share share;
  std::unique_ptr<Encoder> encoder;
};

/// Empty if there is no memory for it.
std::optional<StreamEncoder> make_stream_encoder(const Environment& env, compression::Coding coding,
                                                 std::optional<std::uint64_t> size) {
  const int level = env.compression.level(coding);
  StreamEncoder made{env.stream_encoders, http::BufferBudget::Share(*env.stream_encoders), nullptr};
  if (!made.share.grow(compression::stream_encoder_memory(coding, level))) return std::nullopt;
  made.encoder = compression::make_stream_encoder(coding, level, size);
  return made;
}

/// A body that is compressed while it is sent. What a source gives less of than it was asked for is
/// sent on at once: it may have nothing more for a while.
class CompressedSource final : public ArrivingSource {
 public:
  CompressedSource(Readable source, StreamEncoder encoder)
      : source_(std::move(source)),
        arriving_(ReadableSource::arriving_of(source_)),
        encoder_(std::move(encoder)) {}

  /// Whether the source is one that arrives; otherwise only `read` can be used.
  bool arrives() const { return arriving_ != nullptr; }

  std::size_t read(std::span<char> buffer) override {
    return *compress(buffer, [this] { return std::optional(source_.read(input_)); });
  }
  std::optional<std::size_t> try_read(std::span<char> buffer) override {
    return compress(buffer, [this] { return arriving_->try_read(input_); });
  }
  void watch(std::weak_ptr<http::BodyWaker> waker,
             std::shared_ptr<http::BufferBudget> buffers) override {
    arriving_->watch(std::move(waker), std::move(buffers));
  }
  std::size_t counted() const noexcept override { return arriving_->counted(); }
  void discard() noexcept override { arriving_->discard(); }

 private:
  std::optional<std::size_t> compress(std::span<char> buffer, const auto& read_input) {
    for (int steps = 1; sent_ == output_.size(); ++steps) {
      if (has_ended_) return 0;
      output_.clear();
      sent_ = 0;
      const std::optional<std::size_t> count = read_input();
      if (!count && !has_kept_) return std::nullopt;
      const std::size_t size = count.value_or(0);
      has_ended_ = count == 0U;
      has_kept_ = size == input_.size() && steps % kMaxKeptSteps != 0;
      const auto flush = has_ended_  ? Encoder::Flush::finish
                         : has_kept_ ? Encoder::Flush::none
                                     : Encoder::Flush::block;
      encoder_.encoder->write({input_.data(), size}, flush, output_);
    }
    const std::size_t count = output_.copy(buffer.data(), buffer.size(), sent_);
    sent_ += count;
    return count;
  }

  Readable source_;
  const std::shared_ptr<ArrivingSource> arriving_;  ///< what `source_` reads, or null
  const StreamEncoder encoder_;
  std::vector<char> input_ = std::vector<char>(kStreamStep);
  std::string output_;
  std::size_t sent_ = 0;   ///< of `output_`
  bool has_kept_ = false;  ///< the encoder may keep bytes back
  bool has_ended_ = false;
};

Readable compressed(Readable source, StreamEncoder encoder) {
  auto body = std::make_shared<CompressedSource>(std::move(source), std::move(encoder));
  if (body->arrives()) return ReadableSource::make(std::move(body), std::nullopt);
  return Readable([body = std::move(body)](std::span<char> buffer) { return body->read(buffer); });
}

/// Whether an upstream has described the response for a HEAD. If it does not say how large the body
/// of GET would be, that one may be too small to be compressed: the field is omitted (RFC 9110,
/// 9.3.2).
bool is_described_by_upstream(const Exchange& exchange) {
  return exchange.head.method == "HEAD" && exchange.outgoing.freshness.is_of_upstream;
}

class CompressionStage : public Stage {
 public:
  void run(Exchange& exchange, const NextStages& next) const override {
    next(exchange);
    OutgoingResponse& response = exchange.outgoing;
    // Events are sent at once, and small; sockets have a compression of their own.
    if (!response.is_set() || response.is_opened()) return;
    const auto size = response.size();
    const auto coding = negotiate_coding(exchange, size);
    if (!coding || (!size && is_described_by_upstream(exchange))) return;
    if (response.kind == OutgoingResponse::Kind::body) {
      response.set_field(kContentEncoding, compression::name_of(*coding));
      response.body =
          compression::compress(*coding, exchange.env.compression.level(*coding), response.body);
      return;
    }
    auto encoder = make_stream_encoder(exchange.env, *coding, size);
    if (!encoder) return;
    response.set_field(kContentEncoding, compression::name_of(*coding));
    response.remove_field("content-length");
    response.source =
        std::make_unique<Readable>(compressed(std::move(*response.source), *std::move(encoder)));
  }
};

}  // namespace

bool is_compression_enabled(const Exchange& exchange) {
  return is_enabled_for(exchange.env, exchange.route);
}

bool is_compressible(const Exchange& exchange) {
  const OutgoingResponse& response = exchange.outgoing;
  if (!is_compression_enabled(exchange) || response.has_csrf_token) return false;
  if (!http::allows_body(response.status) || response.status == kPartialContent) return false;
  if (response.field(kContentEncoding)) return false;
  if (forbids_transforming(response)) return false;
  const auto type = response.field("content-type");
  return type && exchange.env.compression.covers(*type);
}

std::optional<compression::Coding> negotiate_coding(Exchange& exchange,
                                                    std::optional<std::uint64_t> size) {
  if (!is_compressible(exchange)) return std::nullopt;
  const compression::CompressionPolicy& policy = exchange.env.compression;
  const auto accepted = exchange.header(kAcceptEncoding);
  const bool must_encode = accepted && compression::weight_of_coding(accepted, "identity") == 0;
  if (size && *size < policy.min_size() && !must_encode) return std::nullopt;
  OutgoingResponse& response = exchange.outgoing;
  response.add_vary("Accept-Encoding");
  const auto coding = compression::choose_coding(accepted, policy.codings());
  // The bytes differ from those that the tag was made for.
  if (const auto tag = response.field("etag"); coding && tag && tag->starts_with('"')) {
    response.set_field("etag", "W/" + std::string(*tag));
  }
  return coding;
}

Stages compression_stage(const StageContext& context) {
  if (!is_enabled_for(context.env, context.route)) return {};
  return one_stage<CompressionStage>();
}

}  // namespace fw::detail
