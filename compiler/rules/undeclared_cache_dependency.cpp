// [undeclared-cache-dependency]
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.hpp"
#include "model/value_members.hpp"
#include "rules/linted_route.hpp"
#include "rules/lints.hpp"

namespace fairway::rules {
namespace {

using model::InputRead;
using model::RequestCall;
using model::Value;
using Names = std::vector<std::string>;

/// What is part of the key of a stored response, besides the host.
struct Key {
  Names headers;               ///< in lower case
  std::optional<Names> query;  ///< null: all parameters
  bool is_fixed = false;       ///< a string instead of the path, the query and the body
};

Names names_in(const Value* list) { return list ? strings_of(*list) : Names(); }

Key key_of(const Value& cache) {
  Key key;
  for (std::string& name : names_in(member_value(cache, "headers"))) {
    key.headers.push_back(fw::base::lower_case(std::move(name)));
  }
  if (const Value* query = member_value(cache, "query")) key.query = names_in(query);
  key.is_fixed = find_member(cache, "key") != nullptr;
  return key;
}

/// The handler of a page sees no other parameters than those that the route declares.
Key key_of_page(const model::Route& route) {
  Key key{.headers = {}, .query = Names(), .is_fixed = false};
  for (const model::LocationSchema& location : route.validate) {
    if (location.location != "query") continue;
    for (const auto& field : location.schema.fields) key.query->push_back(field.name);
  }
  return key;
}

/// Functions may use any part of the request.
bool has_key_function(const Value& cache) {
  const Value* key = member_value(cache, "key");
  return find_member(cache, "partition_key") || (key && key->kind != Value::Kind::string);
}

/// Whether a header has another value in almost every request, or makes the request conditional,
/// which the cache itself handles.
bool is_of_one_request(std::string_view header) {
  constexpr std::array<std::string_view, 3> kNames = {"x-request-id", "traceparent", "tracestate"};
  return header.starts_with("if-") || std::ranges::find(kNames, header) != kNames.end();
}

bool contains(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// The list in which a name is missing: `.headers = {"x-a", "x-b"}`.
std::string completed(std::string_view member, Names names, const std::string& missing) {
  names.push_back(missing);
  return fmt::format("'.{} = {{\"{}\"}}'", member, fmt::join(names, "\", \""));
}

class CacheDependencies {
 public:
  /// `declared` is the option that makes the route store its responses: `cache` or `frontend`.
  CacheDependencies(const LintedRoute& route, const model::Member& declared, Key key,
                    Reporter& reporter)
      : route_(route),
        handler_(route.registration->handler),
        declared_(declared),
        is_page_(declared.name == "frontend"),
        key_(std::move(key)),
        reporter_(reporter) {}

  void check() {
    for (const RequestCall& call : handler_.calls) check_call(call);
    for (const InputRead& read : handler_.reads) check_read(read);
  }

 private:
  bool calls(std::string_view function) const {
    return std::ranges::find(handler_.calls, function, &RequestCall::function) !=
           handler_.calls.end();
  }

  void check_call(const RequestCall& call) {
    const std::string& function = call.function;
    if (function == "headers") {
      report("all header fields", call.range,
             is_page_ ? page_help()
                      : "read single headers with 'req.header', and name them in '.headers'");
    } else if (function == "cookies") {
      check_cookie("all cookies", call.range);
    } else if (function == "ip") {
      report("the address of the client", call.range, partition_help("it"));
    } else if (function == "http_version") {
      report("the version of HTTP", call.range, partition_help("it"));
    } else if (function == "client_certificate") {
      report("the certificate of the client", call.range, partition_help("it"));
    } else if (function == "session") {
      report("the session", call.range, partition_help("its user", kNeedsCookies));
    } else if (function == "auth" && (is_page_ || allows("allow_authorization_cache"))) {
      // Otherwise only responses to anonymous requests are stored.
      report("the identity of the client", call.range, partition_help("the user or the tenant"));
    }
  }

  void check_read(const InputRead& read) {
    const std::string& name = read.path.front();
    const std::string& location = read.location;
    if (location == "header") {
      check_header(fw::base::lower_case(name), read.range);
    } else if (location == "cookie") {
      if (!calls("cookies")) check_cookie(fmt::format("the cookie '{}'", name), read.range);
    } else if (key_.is_fixed) {
      const std::string part = location == "body"    ? "the request body"
                               : location == "query" ? fmt::format("the query parameter '{}'", name)
                                                     : fmt::format("the path parameter '{}'", name);
      report(part, read.range, "use it in 'key', as a function of the request");
    } else if (location == "query" && key_.query && !contains(*key_.query, name)) {
      auto* found = report(fmt::format("the query parameter '{}'", name), read.range,
                           is_page_ ? "declare it in 'validate.query'"
                                    : "add it: " + completed("query", *key_.query, name));
      if (found) add_name(*found, "query", name);
    }
  }

  void check_header(const std::string& name, const model::Range& range) {
    // A call of `headers` is reported already.
    if (name == "host" || contains(key_.headers, name) || calls("headers")) return;
    const std::string dependency = fmt::format("the header field '{}'", name);
    if (name == "cookie") {
      check_cookie(dependency, range);
    } else if (is_page_ || name == "authorization") {
      report(dependency, range, partition_help("the user or the tenant"));
    } else if (is_of_one_request(name)) {
      report(dependency, range, "do not read it in the handler, or remove 'cache'");
    } else if (auto* found = report(dependency, range,
                                    "add it: " + completed("headers", key_.headers, name))) {
      add_name(*found, "headers", name);
    }
  }

  void check_cookie(const std::string& dependency, const model::Range& range) {
    if (contains(key_.headers, "cookie")) return;
    report(dependency, range, partition_help("what the response takes from it", kNeedsCookies));
  }

  bool allows(std::string_view option) const {
    return flag_member(declared_.value, option).value_or(false);
  }

  static std::string page_help() {
    return "replace 'frontend.mode' by 'cache', whose options can add it to the key, or let a "
           "script of the page read it";
  }

  static constexpr bool kNeedsCookies = true;

  /// For what no list of names can add to the key.
  std::string partition_help(std::string_view result, bool needs_cookies = false) const {
    if (is_page_) return page_help();
    // Without the permission, responses to requests with cookies are not stored.
    const bool needs_permission = needs_cookies && !allows("allow_cookie_cache");
    return fmt::format("add '.partition_key', a function that returns {}{}, or remove 'cache'",
                       result, needs_permission ? ", and '.allow_cookie_cache = true'" : "");
  }

  /// Reports each dependency once, because one declaration is enough for all uses. Null if it was
  /// reported before.
  model::Diagnostic* report(const std::string& dependency, const model::Range& range,
                            std::string help) {
    if (!reported_.insert(dependency).second) return nullptr;
    model::Diagnostic& diagnostic = reporter_.report(
        rules::undeclared_cache_dependency,
        is_page_ ? fmt::format("the handler of a page for everyone does not see {}", dependency)
                 : fmt::format("the response is not stored, because it depends on {}, which is not "
                               "part of the key",
                               dependency),
        range, std::move(help));
    diagnostic.notes.push_back(
        {is_page_ ? "the mode is set here" : "the cache is declared here", declared_.name_range});
    return &diagnostic;
  }

  /// Adds a fix that appends a name, if the list is written in the registration.
  void add_name(model::Diagnostic& diagnostic, std::string_view member, const std::string& name) {
    const Value* list = member_value(declared_.value, member);
    if (!list || list->items.empty() || !route_.is_written_here(list->range)) return;
    const Value& last = list->items.back();
    const bool is_literal =
        spelled_at(last, 0, last.text.size()) && list->range.contains(last.range);
    if (!is_literal || name.find_first_of("\"\\\n") != std::string::npos) return;
    model::Range end = last.range;
    end.line = end.end_line;
    end.column = end.end_column;
    diagnostic.fixes.push_back({std::move(end), fmt::format(", \"{}\"", name)});
  }

  const LintedRoute& route_;
  const model::HandlerUse& handler_;
  const model::Member& declared_;
  const bool is_page_;
  const Key key_;
  Reporter& reporter_;
  std::set<std::string> reported_;
};

}  // namespace

void lint_undeclared_cache_dependency(const LintedRoute& route, Reporter& reporter) {
  if (const model::Member* cache = route.effective_cache()) {
    if (has_key_function(cache->value) || route.bypasses(*cache)) return;
    CacheDependencies(route, *cache, key_of(cache->value), reporter).check();
    return;
  }
  const model::Member* frontend = route.option("frontend");
  if (!frontend || string_member(frontend->value, "mode") != "revalidate") return;
  CacheDependencies(route, *frontend, key_of_page(*route.route), reporter).check();
}

}  // namespace fairway::rules
