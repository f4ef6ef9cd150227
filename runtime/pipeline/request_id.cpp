#include <stdexcept>
#include <string>
#include <string_view>

#include "base/ascii.hpp"
#include "base/random.hpp"
#include "base/utf8.hpp"
#include "chain/stages.hpp"
#include "pipeline/pipeline.hpp"

namespace fw::detail {
namespace {

constexpr std::size_t kMaxIdLength = 512;

bool is_valid_id(std::string_view id) {
  if (id.empty() || id.size() > kMaxIdLength) return false;
  for (const char c : id) {
    if (base::is_control(c)) return false;
  }
  return true;
}

/// JSON and the log need UTF-8. Other bytes are taken for ISO 8859-1, as in older header fields.
std::string utf8_of_latin1(std::string_view id) {
  std::string text;
  for (const char c : id) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      text += c;
    } else {
      text += static_cast<char>(0xC0U | byte >> 6U);
      text += static_cast<char>(0x80U | (byte & 0x3FU));
    }
  }
  return text;
}

class RequestId : public Stage {
 public:
  void run(Exchange& exchange, const NextStages& next) const override {
    assign_request_id(exchange);
    next(exchange);
  }
};

}  // namespace

void assign_request_id(Exchange& exchange) {
  const Environment& env = exchange.env;
  if (!env.config.request_id.enabled) return;
  const std::string_view incoming = exchange.header(env.config.request_id.header).value_or("");
  const bool is_replaced = env.config.request_id.on_invalid == InvalidRequestId::replace &&
                           !incoming.empty() && !is_valid_id(incoming);
  const bool is_generated = incoming.empty() || is_replaced;
  std::string& id = exchange.context.request_id;
  bool valid = true;
  const bool is_uuid = is_generated && !env.generate_request_id;
  if (is_uuid) {
    base::write_uuid(id);
  } else {
    if (is_generated) {
      id = env.generate_request_id();
    } else {
      id = incoming;
    }
    valid = is_valid_id(id);
    if (!valid) base::write_uuid(id);  // the error response needs an id, too
  }
  // The configuration was checked, too.
  exchange.outgoing.set_valid_field(env.config.request_id.response_header, id);
  if (!is_uuid && !base::count_code_points(id).well_formed) id = utf8_of_latin1(id);
  if (ActiveRequest* const entry = exchange.entry()) entry->set_id(id);
  if (!valid) {
    throw std::runtime_error(
        is_generated
            ? "the request id generator returned an invalid id: it must have 1 to 512 characters "
              "and no control characters"
            : "invalid request id: it must have 1 to 512 characters and no control characters");
  }
}

Stages request_id_stage(const StageContext& context) {
  if (!context.env.config.request_id.enabled) return {};
  return one_stage<RequestId>();
}

}  // namespace fw::detail
