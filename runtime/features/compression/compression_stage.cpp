// Compresses responses for clients that accept it (docs/compression.md).
#include "features/compression/compression_stage.hpp"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.hpp"
#include "chain/stages.hpp"
#include "http/response_head.hpp"

namespace fw::detail {
namespace {

using compression::Encoder;

constexpr std::string_view kAcceptEncoding = "accept-encoding";
constexpr std::string_view kContentEncoding = "content-encoding";
constexpr int kPartialContent = 206;
/// Bytes of a stream that are compressed at a time.
constexpr std::size_t kStreamStep = 16 * 1024;

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

/// A body that is compressed while it is sent. What a source gives less of than it was asked for is
/// sent on at once: it may have nothing more for a while.
Readable compressed(Readable source, std::unique_ptr<Encoder> encoder) {
  struct State {
    Readable source;
    std::unique_ptr<Encoder> encoder;
    std::vector<char> input = std::vector<char>(kStreamStep);
    std::string output = {};
    std::size_t sent = 0;  ///< of `output`
    bool has_ended = false;
  };
  // Shared, because std::function copies what it contains.
  const auto state =
      std::make_shared<State>(State{.source = std::move(source), .encoder = std::move(encoder)});
  return Readable([state](std::span<char> buffer) -> std::size_t {
    while (state->sent == state->output.size()) {
      if (state->has_ended) return 0;
      state->output.clear();
      state->sent = 0;
      const std::size_t count = state->source.read(state->input);
      state->has_ended = count == 0;
      const auto flush = count == 0                    ? Encoder::Flush::finish
                         : count < state->input.size() ? Encoder::Flush::block
                                                       : Encoder::Flush::none;
      state->encoder->write({state->input.data(), count}, flush, state->output);
    }
    const std::size_t count = state->output.copy(buffer.data(), buffer.size(), state->sent);
    state->sent += count;
    return count;
  });
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
    if (!coding) return;
    const int level = exchange.env.compression.level(*coding);
    response.set_field(kContentEncoding, compression::name_of(*coding));
    if (response.kind == OutgoingResponse::Kind::body) {
      response.body = compression::compress(*coding, level, response.body);
      return;
    }
    response.remove_field("content-length");
    response.source = std::make_unique<Readable>(
        compressed(std::move(*response.source), compression::make_encoder(*coding, level, size)));
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
