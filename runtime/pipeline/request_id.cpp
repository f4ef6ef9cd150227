// Sets the id of the request (reference: FwRequest rule 3).
#include <stdexcept>

#include "base/ascii.hpp"
#include "base/random.hpp"
#include "pipeline/stages.hpp"

namespace fw::detail {
namespace {

constexpr std::size_t kLongestId = 512;

bool is_valid_id(std::string_view id) {
  if (id.empty() || id.size() > kLongestId) return false;
  for (const char c : id) {
    if (base::is_control(c)) return false;
  }
  return true;
}

class RequestId : public Stage {
 public:
  void run(Exchange& exchange, const Rest& rest) const override {
    const Environment& env = exchange.env;
    const std::string_view incoming = exchange.header(env.config.request_id.header).value_or("");
    const bool is_replaced = env.config.request_id.on_invalid == InvalidRequestId::replace &&
                             !incoming.empty() && !is_valid_id(incoming);
    const bool is_generated = incoming.empty() || is_replaced;
    std::string& id = exchange.context.request_id;
    bool valid = true;
    if (is_generated && !env.generate_request_id) {
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
    if (!valid) {
      throw std::runtime_error(
          is_generated
              ? "the request id generator returned an invalid id: it must have 1 to 512 characters "
                "and no control characters"
              : "invalid request id: it must have 1 to 512 characters and no control characters");
    }
    rest(exchange);
  }
};

}  // namespace

Stages request_id_stage(const Composition& composition) {
  if (!composition.env.config.request_id.enabled) return {};
  return one_stage<RequestId>();
}

}  // namespace fw::detail
