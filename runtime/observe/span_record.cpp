#include "observe/span_record.hpp"

#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include "base/spare_allocator.hpp"

namespace fw::detail {
namespace {

constexpr std::size_t kMaxAttributes = 32;
constexpr std::size_t kMaxName = 128;

/// The beginning of a text, without a part of a character of UTF-8 at its end.
std::string_view cut(std::string_view text, std::size_t size) {
  if (text.size() <= size) return text;
  const auto is_continued = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
  };
  while (size > 0 && is_continued(size)) --size;
  return text.substr(0, size);
}

/// Before the name of an attribute, and what follows it: a text, or the bytes of a number.
struct EntryHead {
  std::uint8_t name_size = 0;
  std::uint8_t type = 0;  ///< the index of the variant
  std::uint16_t value_size = 0;
};
static_assert(kMaxName <= 0xFF && kMaxRecordedText <= 0xFFFF);

EntryHead head_at(const std::string& bytes, std::size_t at) {
  EntryHead head;
  std::memcpy(&head, &bytes[at], sizeof head);
  return head;
}

template <class Number>
std::string_view raw_bytes(const Number& number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

template <class Number>
Number number_of(std::string_view bytes) {
  Number number{};
  std::memcpy(&number, bytes.data(), sizeof number);
  return number;
}

void destroy(SpanRecord* span) { delete span; }

constexpr std::size_t kSpares = 4;
constexpr std::size_t kMaxSpareBytes = 1'024;
constinit thread_local base::ThreadLocalFreeList<SpanRecord*, kSpares, destroy> t_spares{};

}  // namespace

void SpanRecycler::operator()(SpanRecord* span) const noexcept {
  const bool is_small = span->bytes() <= kMaxSpareBytes;
  if (!base::kKeepsSpares || !is_small || !t_spares.keep(span)) destroy(span);
}

OwnedSpan make_span(const base::TraceId& trace, const base::SpanId& id,
                    const base::SpanId& parent) {
  OwnedSpan span(t_spares.empty() ? new SpanRecord : t_spares.take());
  span->trace = trace;
  span->id = id;
  span->parent = parent;
  span->has_remote_parent = false;
  span->kind = SpanKind::internal;
  span->has_failed = false;
  span->dropped_attributes = 0;
  span->name.clear();
  span->tracestate.clear();
  span->request.reset();
  span->attributes.clear();
  span->events.clear();
  span->dropped_events = 0;
  return span;
}

SpanRecord record_of(const RequestSpan& span) {
  return {.trace = span.trace,
          .id = span.id,
          .parent = span.parent,
          .has_remote_parent = span.parent.is_set(),
          .kind = SpanKind::server,
          .request = std::make_shared<const RequestFacts>(
              RequestFacts{span.kind, std::string(span.path), std::string(span.client)}),
          .begin = span.begin,
          .end = span.end};
}

SpanRecord record_of(const PlainSpan& span, const base::TraceId& trace) {
  return {.trace = trace,
          .id = span.id,
          .parent = span.parent,
          .has_failed = span.has_failed,
          .name = std::string(span.name),
          .begin = span.begin,
          .end = span.end};
}

PlainSpan MainSpan::plain(const base::SpanId& request) const {
  const base::TickScale scale(earliest, latest);
  return {.name = name,
          .id = base::nth_span_id(request, kNumber),
          .parent = request,
          .has_failed = has_failed,
          .begin = scale.time_of(begin),
          .end = scale.time_of(end)};
}

std::chrono::nanoseconds current_offset_to_unix_time() {
  using std::chrono::duration_cast;
  using std::chrono::nanoseconds;
  return duration_cast<nanoseconds>(std::chrono::system_clock::now().time_since_epoch()) -
         duration_cast<nanoseconds>(SpanRecord::Clock::now().time_since_epoch());
}

std::string_view cut_recorded_text(std::string_view text) { return cut(text, kMaxRecordedText); }

std::string RequestKind::name() const {
  std::string name(method.empty() ? std::string_view("HTTP") : method);
  if (!route.empty()) name.append(" ").append(route);
  return std::string(cut(name, kMaxName));
}

bool SpanAttributes::set(std::string_view name, SpanValue value) {
  name = cut(name, kMaxName);
  remove(name);
  if (count_ == kMaxAttributes) return false;
  const std::string_view content = std::visit(
      [](const auto& each) -> std::string_view {
        if constexpr (std::is_same_v<std::decay_t<decltype(each)>, std::string_view>) {
          return recorded_text(each);
        } else {
          return raw_bytes(each);
        }
      },
      value);
  const EntryHead head{.name_size = static_cast<std::uint8_t>(name.size()),
                       .type = static_cast<std::uint8_t>(value.index()),
                       .value_size = static_cast<std::uint16_t>(content.size())};
  const std::size_t size = bytes_.size();
  try {
    bytes_.append(raw_bytes(head)).append(name).append(content);
  } catch (const std::bad_alloc&) {
    bytes_.resize(size);
    throw;
  }
  ++count_;
  return true;
}

SpanAttributes::Entry SpanAttributes::entry_at(std::size_t at) const {
  const EntryHead head = head_at(bytes_, at);
  const std::string_view rest = std::string_view(bytes_).substr(at + sizeof head);
  const std::string_view content = rest.substr(head.name_size, head.value_size);
  Entry entry{.name = rest.substr(0, head.name_size),
              .value = content,
              .end = at + sizeof head + head.name_size + head.value_size};
  if (head.type == SpanValue(std::int64_t{}).index()) {
    entry.value = number_of<std::int64_t>(content);
  } else if (head.type == SpanValue(double{}).index()) {
    entry.value = number_of<double>(content);
  } else if (head.type == SpanValue(bool{}).index()) {
    entry.value = number_of<bool>(content);
  }
  return entry;
}

void SpanAttributes::remove(std::string_view name) {
  for (std::size_t at = 0; at < bytes_.size();) {
    const EntryHead head = head_at(bytes_, at);
    const std::size_t size = sizeof head + head.name_size + head.value_size;
    if (head.name_size == name.size() &&
        std::memcmp(&bytes_[at + sizeof head], name.data(), name.size()) == 0) {
      bytes_.erase(at, size);
      --count_;
      return;
    }
    at += size;
  }
}

void SpanEvent::set(std::string_view attribute, const SpanValue& value) {
  if (!attributes.set(attribute, value)) ++dropped_attributes;
}

std::size_t SpanEvent::bytes() const {
  return sizeof(SpanEvent) + name.size() + attributes.bytes();
}

void SpanRecord::set(std::string_view attribute, const SpanValue& value) {
  if (!attributes.set(attribute, value)) ++dropped_attributes;
}

void SpanRecord::fail(std::string_view type) {
  has_failed = true;
  if (!type.empty()) set("error.type", type);
}

void SpanRecord::rename(std::string_view text) { name = cut(text, kMaxName); }

std::size_t SpanRecord::bytes() const {
  std::size_t size = sizeof(SpanRecord) + name.size() + tracestate.size() + attributes.bytes();
  if (request) size += sizeof(RequestFacts) + request->path.size() + request->client.size();
  for (const SpanEvent& event : events) size += event.bytes();
  return size;
}

}  // namespace fw::detail
