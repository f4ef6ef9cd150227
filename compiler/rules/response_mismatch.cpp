// [response-mismatch]
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "model/output_schema.hpp"
#include "model/type_rules.hpp"
#include "options/response_selectors.hpp"
#include "rules/route_rules.hpp"
#include "schema/kinds.hpp"

namespace fairway::rules {
namespace {

using fw::schema::Kind;
using fw::schema::Node;

/// Why a type can never satisfy a schema.
struct Mismatch {
  std::string member;  ///< "items/price"; empty: the data itself
  std::string reason;  ///< "is missing"
};

/// Whether the texts that a node has can be numbers or booleans.
bool may_be_literal(const Node& text, std::string_view type) {
  if (const auto has_format = fw::schema::info(text.kind).has_format; has_format != nullptr) {
    constexpr std::array<std::string_view, 4> kNumbers = {"1", "-1", "0.5", "1e+21"};
    if (type == "boolean") return has_format("true") || has_format("false");
    return std::ranges::any_of(kNumbers, has_format);
  }
  if (text.kind == Kind::string) return true;
  return std::ranges::any_of(text.values, [&](const std::string& value) {
    const auto parsed = model::Json::parse(value, nullptr, false);
    return type == "boolean" ? parsed.is_boolean() : parsed.is_number();
  });
}

/// Whether some value of the sent type can be, or be converted to, the declared one. Responses are
/// converted as runtime/schema/output_schema.cpp does.
bool may_be(const Node& declared, const Node& sent) {
  const fw::schema::KindInfo& declared_kind = fw::schema::info(declared.kind);
  const fw::schema::KindInfo& sent_kind = fw::schema::info(sent.kind);
  const std::string_view to = declared_kind.json_type;
  const std::string_view from = sent_kind.json_type;
  if (to.empty() || from.empty()) return true;
  if (to == from) return !are_disjoint_formats(declared_kind, sent_kind);
  const bool is_number = from == "integer" || from == "number";
  if (to == "string") {
    return (is_number || from == "boolean") && may_be_literal(declared, from);
  }
  if (to == "integer" || to == "number") {
    return is_number || (from == "string" && may_be_literal(sent, to));
  }
  return to == "boolean" && from == "string" && may_be_literal(sent, to);
}

/// Finds a part of what is sent that the declared schema does not allow.
class MismatchSearch {
 public:
  std::optional<Mismatch> compare(const Node& declared_here, const Node& sent_here) {
    const Node& declared = resolved(declared_here);
    const Node& sent = resolved(sent_here);
    // A type that contains itself is compared once.
    if (!seen_.insert({&declared, &sent}).second) return std::nullopt;
    if (declared.kind == Kind::one_of || sent.kind == Kind::one_of) {
      return compare_alternatives(declared, sent);
    }
    if (!may_be(declared, sent)) {
      return Mismatch{"", fmt::format("is of the type {}, and the schema says {}", named(sent),
                                      named(declared))};
    }
    if (declared.kind == Kind::enumeration && sent.kind == Kind::enumeration) {
      const bool overlaps = std::ranges::any_of(sent.values, [&](const std::string& value) {
        return std::ranges::find(declared.values, value) != declared.values.end();
      });
      if (!overlaps) return Mismatch{"", "has none of the declared values"};
    }
    if (declared.kind == Kind::array && sent.kind == Kind::array && declared.items && sent.items) {
      return inside("", compare(*declared.items, *sent.items));
    }
    if (sent.kind == Kind::object) {
      if (declared.kind == Kind::object) return compare_members(declared, sent);
      if (declared.kind == Kind::map) return compare_with_values(*declared.items, sent);
    }
    if (sent.kind == Kind::map) {
      if (declared.kind == Kind::object) return compare_values(declared, *sent.items);
      if (declared.kind == Kind::map) return compare(*declared.items, *sent.items);
    }
    return std::nullopt;
  }

 private:
  static std::string named(const Node& node) {
    const auto& info = fw::schema::info(node.kind);
    const std::string_view type = info.has_format != nullptr ? info.name : info.json_type;
    return type.empty() ? "any" : std::string(type);
  }

  static std::optional<Mismatch> inside(const std::string& name, std::optional<Mismatch> mismatch) {
    if (!mismatch || name.empty()) return mismatch;
    mismatch->member = mismatch->member.empty() ? name : name + "/" + mismatch->member;
    return mismatch;
  }

  /// One alternative of each is enough.
  std::optional<Mismatch> compare_alternatives(const Node& declared, const Node& sent) {
    const std::vector<Node> single_declared = {declared};
    const std::vector<Node> single_sent = {sent};
    const auto& wanted = declared.kind == Kind::one_of ? declared.alternatives : single_declared;
    const auto& given = sent.kind == Kind::one_of ? sent.alternatives : single_sent;
    std::optional<Mismatch> first;
    for (const Node& one : given) {
      for (const Node& other : wanted) {
        auto mismatch = MismatchSearch().compare(other, one);
        if (!mismatch) return std::nullopt;
        if (!first) first = std::move(mismatch);
      }
    }
    return first;
  }

  std::optional<Mismatch> compare_members(const Node& declared, const Node& sent) {
    for (const fw::schema::Field& field : declared.fields) {
      const auto own = std::ranges::find(sent.fields, field.name, &fw::schema::Field::name);
      if (own != sent.fields.end()) {
        if (auto mismatch = inside(field.name, compare(field.node, own->node))) return mismatch;
      } else if (field.node.required && !field.node.default_value) {
        return Mismatch{field.name, "is missing"};
      }
    }
    return std::nullopt;
  }

  /// The members that a struct always has, as values of a map.
  std::optional<Mismatch> compare_with_values(const Node& declared, const Node& sent) {
    for (const fw::schema::Field& field : sent.fields) {
      if (!field.node.is_always_there()) continue;
      if (auto mismatch = inside(field.name, compare(declared, field.node))) return mismatch;
    }
    return std::nullopt;
  }

  /// The values of a map, as the members that an object must have.
  std::optional<Mismatch> compare_values(const Node& declared, const Node& sent) {
    for (const fw::schema::Field& field : declared.fields) {
      if (!field.node.required || field.node.default_value) continue;
      if (auto mismatch = inside(field.name, compare(field.node, sent))) return mismatch;
    }
    return std::nullopt;
  }

  std::set<std::pair<const Node*, const Node*>> seen_;
};

/// Whether `docs.responses` has an entry for the status.
bool is_documented(const model::Route& route, int status) {
  const std::string text = std::to_string(status);
  return std::ranges::any_of(route.docs.responses, [&](const model::DocumentedResponse& response) {
    return fw::options::selects(response.selector, text);
  });
}

/// Whether `responses` cannot name the type, because a generated struct is an argument of it.
bool is_generated(const model::TypeUse& type) {
  return type.name.find("::routes::") != std::string::npos;
}

/// The lint [undeclared-status] is about responses whose type is not known.
void report_without_schema(const model::Route& route, const model::SentResponse& sent, int status,
                           Reporter& reporter) {
  const auto first = std::ranges::find(route.responses, false, &model::ResponseSchema::is_inferred);
  if (first == route.responses.end() || route.docs.hidden || is_documented(route, status)) return;
  const std::string_view name = sent.type.name;
  const std::string schema =
      name == "::std::nullptr_t"
          ? R"("null")"
          : fmt::format("fw::type<{}>", name.substr(name.starts_with("::") ? 2 : 0));
  auto& error = reporter.report(
      model::rules::response_mismatch,
      fmt::format("status {} has no schema in 'responses'", status), sent.range,
      is_generated(sent.type) ? fmt::format("add the schema of status {} to 'responses'", status)
                              : fmt::format("add '{{\"{}\", {}}}' to 'responses'", status, schema));
  add_call_notes(error, sent.calls);
  error.notes.push_back({"the other schemas are declared here", first->range});
}

/// Empty for a JSON Schema with other keywords than the schemas of types.
std::optional<Node> comparable(const model::Schema& schema) {
  if (const Node* const node = model::node_of(schema)) return *node;
  try {
    return fw::schema::node_of_schema(std::get<model::Json>(schema));
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

std::string message_of(const Mismatch& mismatch, int status) {
  if (mismatch.member.empty()) {
    return fmt::format("the data of status {} {}", status, mismatch.reason);
  }
  return fmt::format("the member '{}' of the data of status {} {}", mismatch.member, status,
                     mismatch.reason);
}

using Format = model::Stream::Format;

/// The stream that a function of the response begins; empty for other functions.
std::optional<Format> begun_stream(std::string_view function) {
  if (function == "events") return Format::events;
  if (function == "lines") return Format::lines;
  return std::nullopt;
}

std::string_view noun_of(Format format) { return format == Format::events ? "events" : "lines"; }

/// Whether the handler sends another kind of response than a declared one.
bool is_of_another_kind(const model::ResponseSchema* declared, std::optional<Format> begun) {
  if (declared == nullptr || !declared->stream) return begun.has_value();
  return begun != declared->stream->format;
}

void check_kind(const model::Route& route, const model::SentResponse& sent, Reporter& reporter) {
  if (sent.function == "raise" || sent.statuses.empty()) return;
  const auto begun = begun_stream(sent.function);
  const model::ResponseSchema* returned = route.streamed();
  if (begun && returned && returned->is_inferred && returned->stream->format == begun) return;
  // A stream that is declared for another status is an error of its own.
  const auto is_begun = [&](const model::ResponseSchema& each) {
    return each.stream && each.stream->format == begun;
  };
  if (begun && std::ranges::any_of(route.responses, is_begun)) return;
  const model::ResponseSchema* declared = nullptr;
  for (const int status : sent.statuses) {
    declared = route.declared_for(status);
    if (!is_of_another_kind(declared, begun)) return;
  }
  const int status = sent.statuses.back();
  const bool has_range = !sent.range.file.empty() || declared == nullptr;
  const model::Range& range = has_range ? sent.range : declared->range;
  if (!begun) {
    auto& error = reporter.report(
        model::rules::response_mismatch,
        fmt::format("status {} is a stream of {}, and the handler calls 'res.{}'", status,
                    noun_of(declared->stream->format), sent.function),
        range,
        fmt::format("call 'res.{}()', or declare what is sent", noun_of(declared->stream->format)));
    add_call_notes(error, sent.calls);
    if (has_range) error.notes.push_back({"the stream is declared here", declared->range});
    return;
  }
  const std::string_view noun = noun_of(*begun);
  auto& error = reporter.report(
      model::rules::response_mismatch,
      fmt::format("the handler begins a stream of {}, which 'responses' does not declare for "
                  "status {}",
                  noun, status),
      range,
      *begun == Format::events
          ? R"(write '.responses = {{"200", fw::events({{"created", {{"id", "integer"}}}})}}')"
          : R"(write '.responses = {{"200", fw::lines({{"id", "integer"}})}}')");
  add_call_notes(error, sent.calls);
  if (declared != nullptr)
    error.notes.push_back({"the response is declared here", declared->range});
}

/// The result of a handler that sends the data of `result` with `status`.
std::string result_with(int status, const model::TypedResult& result) {
  const std::string_view whole = result.type.name;
  const std::string_view name = whole.substr(whole.starts_with("::") ? 2 : 0);
  if (status == 204) return "fw::NoContent";
  if (name.empty()) return fmt::format("fw::Status<{}>", status);
  if (status == 201) return fmt::format("fw::Created<{}>", name);
  if (status == 202) return fmt::format("fw::Accepted<{}>", name);
  return fmt::format("fw::Status<{}, {}>", status, name);
}

}  // namespace

void check_left_status(const model::Registration& registration, Reporter& reporter) {
  const auto& results = registration.signature.results;
  if (results.empty()) return;
  for (const model::SentStatus& set : registration.handler.statuses) {
    const bool is_result =
        std::ranges::find(results, set.status, &model::TypedResult::status) != results.end();
    if (!set.is_left || is_result) continue;
    const model::TypedResult& result = results.front();
    auto& error = reporter.report(
        model::rules::response_mismatch,
        results.size() > 1
            ? fmt::format("the handler sets status {}, and its result has a status of its own",
                          set.status)
            : fmt::format("the handler sets status {}, and its result is sent with status {}",
                          set.status, result.status),
        set.range,
        fmt::format("return '{}', or send the response with 'res.json'",
                    result_with(set.status, result)));
    add_call_notes(error, set.calls);
  }
}

void check_sent_responses(const model::Route& route, Reporter& reporter) {
  for (const model::SentResponse& sent : route.sent) check_kind(route, sent, reporter);
  if (!route.options.contains("responses")) return;
  for (const model::SentResponse& sent : route.sent) {
    if (sent.function != "json" || model::is_any(sent.type)) continue;
    const Node type = fw::schema::node_of_schema(model::Json::parse(sent.type.schema));
    std::vector<std::pair<const model::ResponseSchema*, std::string>> found;
    for (const int status : sent.statuses) {
      const model::ResponseSchema* const declared = route.declared_for(status);
      if (declared == nullptr) report_without_schema(route, sent, status, reporter);
      const bool has_schema = declared != nullptr && !declared->stream;
      const auto schema = has_schema ? comparable(declared->schema) : std::nullopt;
      if (!schema) continue;
      if (const auto mismatch = MismatchSearch().compare(*schema, type)) {
        found.emplace_back(declared, message_of(*mismatch, status));
      }
    }
    // Of several statuses, the handler may send the data with only one.
    if (found.empty() || found.size() < sent.statuses.size()) continue;
    auto& error =
        reporter.report(model::rules::response_mismatch, std::move(found.front().second),
                        sent.range, "send what 'responses' declares, or declare what is sent");
    add_call_notes(error, sent.calls);
    error.notes.push_back({"the schema is declared here", found.front().first->range});
  }
}

}  // namespace fairway::rules
