#include "support/collector.hpp"

#include <doctest/doctest.h>

#include <exception>
#include <stdexcept>
#include <utility>

#include "eventually.hpp"

namespace fw::support {
namespace {

Json value_of(const Json& value) {
  if (value.contains("intValue")) return std::stoll(value["intValue"].get<std::string>());
  return value.begin().value();
}

CollectedSpan read_span(const Json& json) {
  CollectedSpan span{.trace = json["traceId"],
                     .id = json["spanId"],
                     .parent = json.value("parentSpanId", ""),
                     .name = json["name"],
                     .kind = json["kind"],
                     .has_failed = json["status"].value("code", 0) == 2,
                     .begin = std::stoull(json["startTimeUnixNano"].get<std::string>()),
                     .end = std::stoull(json["endTimeUnixNano"].get<std::string>()),
                     .json = json};
  for (const Json& each : json["attributes"]) {
    span.attributes[each["key"].get<std::string>()] = value_of(each["value"]);
  }
  return span;
}

std::string names_of(const std::vector<CollectedSpan>& spans) {
  std::string names;
  for (const CollectedSpan& span : spans) names += "'" + span.name + "' ";
  return names;
}

}  // namespace

Collector::Collector(Respond respond)
    : respond_(std::move(respond)),
      upstream_([this](ScriptedConnection& connection) { serve(connection); }) {}

void Collector::serve(ScriptedConnection& connection) {
  for (std::string text; !(text = connection.read_request()).empty();) {
    std::vector<CollectedSpan> spans;
    try {
      const Json body = Json::parse(text.substr(text.find("\r\n\r\n") + 4));
      for (const Json& span : body.at("resourceSpans").at(0).at("scopeSpans").at(0).at("spans")) {
        spans.push_back(read_span(span));
      }
    } catch (const std::exception& error) {
      FAIL_CHECK("the body of a batch is malformed: ", error.what());
    }
    {
      const std::lock_guard lock(mutex_);
      spans_.insert(spans_.end(), spans.begin(), spans.end());
      requests_.push_back(std::move(text));
    }
    if (respond_) {
      respond_(connection);
    } else {
      connection.respond(200, "{}", "Content-Type: application/json\r\n");
    }
  }
}

std::vector<CollectedSpan> Collector::spans() const {
  const std::lock_guard lock(mutex_);
  return spans_;
}

std::vector<std::string> Collector::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

std::vector<CollectedSpan> Collector::await(std::size_t count) const {
  if (!fairway::test::eventually([&] { return spans().size() >= count; })) {
    throw std::runtime_error("the spans have not come, only " + names_of(spans()));
  }
  return spans();
}

CollectedSpan Collector::await_named(const std::string& name) const {
  if (!fairway::test::eventually([&] { return count_named(spans(), name) > 0; })) {
    throw std::runtime_error("there is no span '" + name + "', only " + names_of(spans()));
  }
  return named(spans(), name);
}

std::size_t count_named(const std::vector<CollectedSpan>& spans, const std::string& name) {
  std::size_t count = 0;
  for (const CollectedSpan& span : spans) count += span.name == name ? 1 : 0;
  return count;
}

const CollectedSpan& named(const std::vector<CollectedSpan>& spans, const std::string& name) {
  if (count_named(spans, name) != 1) {
    throw std::runtime_error("not one span '" + name + "' in " + names_of(spans));
  }
  for (const CollectedSpan& span : spans) {
    if (span.name == name) return span;
  }
  return spans.front();
}

}  // namespace fw::support
