#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/output_schema.hpp"
#include "model/value_members.hpp"
#include "options/response_selectors.hpp"
#include "resolve/resolve.hpp"
#include "schema/node.hpp"

namespace fairway::resolve {
namespace {

using model::Json;
using model::TypeUse;

constexpr int kMinError = 400;

/// The schemas of the responses that a handler sends, by selector. A response whose data is not
/// known allows anything, and one whose status is not known may have each status of success.
class SentSchemas {
 public:
  explicit SentSchemas(const model::Route& route) {
    const auto& responses = route.sent;
    for (const model::SentResponse& sent : responses) {
      if (sent.function != "json") continue;
      for (const int status : sent.statuses) add(sent.type, types_[std::to_string(status)]);
    }
    for (const model::SentResponse& sent : responses) {
      if (sent.function == "json" && sent.is_error) add_error(sent.type, responses);
    }
    if (route.declares_success()) return;
    for (const model::SentResponse& sent : responses) {
      if (sent.function == "json" && sent.statuses.empty() && !sent.is_error)
        add_unknown(sent.type, responses);
    }
  }

  /// Empty if the data of one of the responses is not known.
  static Json schema_of(const std::vector<const TypeUse*>& types) {
    if (types.size() == 1) return Json::parse(types.front()->schema);
    Json schema = {{"anyOf", Json::array()}};
    for (const TypeUse* type : types) {
      Json own = Json::parse(type->schema);
      if (const auto definitions = own.find("$defs"); definitions != own.end()) {
        for (const auto& [name, each] : definitions->items()) schema["$defs"][name] = each;
        own.erase("$defs");
      }
      schema["anyOf"].push_back(std::move(own));
    }
    return schema;
  }

  const std::map<std::string, std::vector<const TypeUse*>>& types() const { return types_; }

 private:
  static void add(const TypeUse& type, std::vector<const TypeUse*>& types) {
    const bool is_known =
        std::ranges::any_of(types, [&](const TypeUse* each) { return each->name == type.name; });
    if (!is_known) types.push_back(&type);
  }
  /// With the status of an exception.
  void add_error(const TypeUse& type, const std::vector<model::SentResponse>& responses) {
    add(type, types_["default"]);
    for (const model::SentResponse& sent : responses) {
      for (const int status : sent.statuses) {
        if (status >= kMinError) add(type, types_[std::to_string(status)]);
      }
    }
  }
  void add_unknown(const TypeUse& type, const std::vector<model::SentResponse>& responses) {
    add(type, types_["2xx"]);
    for (const model::SentResponse& sent : responses) {
      if (sent.function == "raise") continue;
      for (const int status : sent.statuses) {
        const std::string text = std::to_string(status);
        const bool may_be_it = text.front() == '2' && fw::options::may_have_content(text);
        if (may_be_it) add(type, types_[text]);
      }
    }
  }

  std::map<std::string, std::vector<const TypeUse*>> types_;
};

bool declares(const model::Route& route, const std::string& selector) {
  const auto applies = [&](const auto& response) {
    return fw::options::selects(response.selector, selector) && !response.is_inferred;
  };
  const auto has_schema = [&](const model::DocumentedResponse& response) {
    return response.selector == selector && response.schema;
  };
  return std::ranges::any_of(route.responses, applies) ||
         std::ranges::any_of(route.docs.responses, has_schema);
}

/// The stream that a handler returns: `fw::Events<…>`, `fw::Lines<T>`. False if it returns none.
bool add_stream(const model::Registration& registration, model::Route& route) {
  const auto& results = registration.signature.results;
  if (results.empty() || results.front().stream.empty()) return false;
  const bool is_events = results.front().stream == "events";
  model::Stream stream{
      .format = is_events ? model::Stream::Format::events : model::Stream::Format::lines,
      .items = {}};
  Json events = Json::object();
  for (const model::TypedResult& result : results) {
    Json schema = type_json(result.type);
    stream.items.push_back({.name = result.event,
                            .schema = model::type_in_responses(schema["$type"]),
                            .type = result.type.name});
    events.emplace(result.event, std::move(schema));
  }
  route.sent.push_back({.function = results.front().stream,
                        .statuses = {200},
                        .media_type = std::string(stream.media_type()),
                        .range = results.front().range});
  if (declares(route, "200")) return true;
  Json& inferred = route.inferred_responses["200"];
  if (is_events) {
    inferred["$events"] = std::move(events);
  } else {
    inferred["$lines"] = std::move(events.front());
  }
  route.responses.push_back({.selector = "200",
                             .schema = {},
                             .range = results.front().range,
                             .is_inferred = true,
                             .stream = std::move(stream)});
  return true;
}

/// Collects the types for which code is generated. A type that a route file defines belongs to this
/// file: anonymous namespaces of two files may have different types of one name.
class TypeCollector {
 public:
  TypeCollector(const FileIndex& files, model::Application& application)
      : application_(application) {
    for (const auto& [path, file] : files) {
      for (const model::CppType& type : file->types) {
        defined_.emplace(Key(type.name, type.header.empty() ? path : ""), &type);
      }
    }
  }

  /// The file whose types are named from here on.
  void begin(const std::string& path) { path_ = path; }

  void input(const TypeUse& use) {
    row(use);
    for (const std::string& name : use.types) code_of(name).is_input = true;
  }
  void output(const TypeUse& use) {
    for (const std::string& name : use.types) code_of(name).is_output = true;
  }
  void named(const TypeUse& use) {
    if (use.is_readable) {
      input(use);
    } else {
      row(use);
    }
    output(use);
  }

  void finish() {
    for (auto& [key, code] : codes_) {
      if (code.is_output) {
        rows_.emplace(key, TypeUse{.name = key.first, .schema = {}, .types = {key.first}});
      }
      application_.types.push_back(std::move(code));
    }
    for (auto& [key, use] : rows_) {
      application_.type_uses.push_back({.use = std::move(use), .file = key.second});
    }
  }

 private:
  using Key = std::pair<std::string, std::string>;  ///< the name and the route file

  Key key_of(const std::string& name) const {
    const Key own(name, path_);
    return defined_.contains(own) ? own : Key(name, "");
  }

  void row(const TypeUse& use) {
    const bool is_local = std::ranges::any_of(
        use.types, [&](const std::string& name) { return !key_of(name).second.empty(); });
    rows_.emplace(Key(use.name, is_local ? path_ : ""), use);
  }

  model::TypeCode& code_of(const std::string& name) {
    const Key key = key_of(name);
    const auto [code, is_new] = codes_.try_emplace(key);
    if (is_new) {
      code->second.type = *defined_.at(key);
      code->second.file = key.second;
    }
    return code->second;
  }

  model::Application& application_;
  std::string path_;
  std::map<Key, const model::CppType*> defined_;
  std::map<Key, model::TypeCode> codes_;
  std::map<Key, TypeUse> rows_;
};

}  // namespace

Json type_json(const TypeUse& type) { return {{"$type", Json::parse(type.schema)}}; }

void add_inputs(const model::Signature& signature, Json& options) {
  if (signature.inputs.empty()) return;
  Json& validate = options["validate"];
  if (!validate.is_object()) validate = Json::object();
  for (const model::TypedInput& input : signature.inputs) {
    validate.emplace(input.location, type_json(input.type));
  }
}

void add_results(const model::Registration& registration, model::Route& route) {
  if (add_stream(registration, route)) return;
  for (const model::TypedResult& result : registration.signature.results) {
    model::SentResponse sent;
    sent.function = result.type.name.empty() ? "end" : "json";
    sent.statuses = {result.status};
    sent.type = result.type;
    sent.range = result.range;
    route.sent.push_back(std::move(sent));
  }
  if (route.sends_others) return;
  const SentSchemas schemas(route);
  for (const auto& [selector, types] : schemas.types()) {
    const bool is_known =
        std::ranges::none_of(types, [](const TypeUse* type) { return model::is_any(*type); });
    if (!is_known || declares(route, selector)) continue;
    const Json schema = SentSchemas::schema_of(types);
    route.inferred_responses[selector] = {{"$type", schema}};
    route.responses.push_back({.selector = selector,
                               .schema = model::type_in_responses(schema),
                               .range = registration.range,
                               .type = types.front()->name,
                               .is_inferred = true});
  }
}

void add_types(const FileIndex& files, model::Application& application) {
  TypeCollector types(files, application);
  std::set<std::string> served;
  for (const model::RouteFile& file : application.files) served.insert(file.export_path);
  for (const auto& [path, file] : files) {
    if (!served.contains(path)) continue;
    types.begin(path);
    for (const model::Registration& registration : file->registrations) {
      for (const auto& input : registration.signature.inputs) types.input(input.type);
      for (const auto& result : registration.signature.results) types.output(result.type);
      for (const auto& sent : registration.handler.sent) {
        if (!sent.type.has_own_code) types.output(sent.type);
      }
    }
    for (const TypeUse& use : file->named_types) types.named(use);
    for (const TypeUse& use : file->sent_types) types.output(use);
  }
  types.finish();
}

}  // namespace fairway::resolve
