#include "app/adapter_error.hpp"

#include "base/random.hpp"
#include "chain/error_response.hpp"
#include "errors/messages.hpp"

namespace fw::detail {

std::pair<http::ResponseHead, std::string> adapter_error(const Config& config, int status,
                                                         std::string_view message) {
  const RequestIdConfig& ids = config.request_id;
  const std::string id = ids.enabled ? base::make_uuid() : std::string();
  http::ResponseHead head{.status = status,
                          .fields = {{"content-type", "application/json; charset=utf-8"}}};
  if (ids.enabled) head.fields.add(ids.response_header, id);
  const std::string_view text = message.empty() ? default_message(status) : message;
  return {std::move(head), plain_error_text(status, text, id)};
}

}  // namespace fw::detail
