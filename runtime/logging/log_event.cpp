#include "logging/log_event.hpp"

#include <exception>
#include <string>
#include <utility>

#include "base/json_text.hpp"

namespace fw::detail {
namespace {

SpanValue value_of(const Json& field) {
  if (field.is_string()) return field.get<std::string>();
  if (field.is_boolean()) return field.get<bool>();
  if (field.is_number_float()) return field.get<double>();
  if (field.is_number_integer() && !field.is_number_unsigned()) return field.get<std::int64_t>();
  return base::to_json_text(field);
}

}  // namespace

void add_log_event(RequestTrace& trace, const LogRecord& record) noexcept {
  const RequestTrace::HideSecrets* const hide_secrets = trace.hide_secrets();
  if (hide_secrets == nullptr) return;
  try {
    SpanEvent event{.time = record.time.time_since_epoch(), .name = "log"};
    event.set("level", std::string(to_string(record.level)));
    event.set("message", std::string(record.message));
    for (const Json* const part : {&record.bindings, &record.fields}) {
      if (!part->is_object()) continue;
      Json fields = *part;
      (*hide_secrets)(fields);
      for (const auto& [name, field] : fields.items()) event.set(name, value_of(field));
    }
    trace.add_event(std::move(event));
  } catch (const std::exception&) {
    // Without memory, only the log has the line.
  }
}

}  // namespace fw::detail
