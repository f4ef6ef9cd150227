#include "exchange/observed_reads.hpp"

#include <new>
#include <string>
#include <utility>

#include "exchange/exchange.hpp"

namespace fw::detail {
namespace {

/// Sets `is_used` of a part of the context, which may be null, and returns the former value.
bool set_used(const auto& part, bool value) { return part && part->is_used.exchange(value); }

}  // namespace

bool ObservedReads::is_private_read(RequestPart part, std::string_view name,
                                    const http::RequestHead& head) {
  if (part == RequestPart::identity || !is_private_part(part, name)) return false;
  if (part == RequestPart::header) return head.fields.find(name).has_value();
  if (part != RequestPart::headers) return true;
  return head.fields.find("cookie") || head.fields.find("authorization");
}

void ObservedReads::record(RequestPart part, std::string_view name) noexcept {
  try {
    record_->add(part, name);
  } catch (const std::bad_alloc&) {
    is_complete_ = false;
  }
}

void ObservedReads::add_each_time(const Dependencies& reads) noexcept {
  if (reads.all().empty()) return;
  try {
    if (!each_time_) each_time_ = std::make_unique<Dependencies>();
    each_time_->add(reads);
  } catch (const std::bad_alloc&) {
    is_complete_ = false;
  }
}

ObservationScope::ObservationScope(Exchange& exchange, Dependencies* dependencies)
    : exchange_(exchange),
      previous_(std::exchange(exchange.reads.record_, dependencies)),
      had_used_caller_(set_used(exchange.context.caller, false)),
      had_used_headers_(set_used(exchange.context.propagated, false)),
      had_used_id_(exchange.context.id_is_used.exchange(false)) {}

ObservationScope::~ObservationScope() {
  const RequestContext& context = exchange_.context;
  if (set_used(context.caller, had_used_caller_)) exchange_.observe(RequestPart::identity);
  if (set_used(context.propagated, had_used_headers_)) {
    // A field that is absent was not passed on for that reason.
    for (const std::string& name : exchange_.env.config.fetch.propagate_headers) {
      exchange_.observe(RequestPart::header, name);
    }
  }
  if (context.id_is_used.exchange(had_used_id_)) exchange_.observe(RequestPart::request_id);
  exchange_.reads.record_ = previous_;
}

EachTimeScope::~EachTimeScope() {
  scope_.reset();
  exchange_.reads.add_each_time(reads_);
}

}  // namespace fw::detail
