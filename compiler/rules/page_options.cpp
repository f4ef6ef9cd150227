// [conflicting-options] for `frontend`
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "model/value_members.hpp"
#include "rules/route_rules.hpp"

namespace fairway::rules {
namespace {

using model::Value;

class PageOptions {
 public:
  PageOptions(const Value& options, const model::Member& frontend, const model::Route& route,
              const std::vector<std::string>& parameters, Reporter& reporter)
      : options_(options),
        frontend_(frontend.value),
        range_(frontend.name_range),
        route_(route),
        parameters_(parameters),
        reporter_(reporter),
        mode_(string_member(frontend_, "mode")) {}

  void check() {
    check_mode();
    needs_mode("static_params", "static");
    needs_mode("revalidate", "revalidate");
    check_interval();
    check_hydration();
    if (mode_ == "static") {
      needs_page("static generation runs no handler that could choose it");
      check_parameters();
    }
    if (!mode_.empty()) check_other_options();
    check_data();
    const bool is_client_only = flag_member(frontend_, "client_only").value_or(false);
    if (is_client_only) needs_page("its script shows the page in the browser");
  }

 private:
  model::Diagnostic& report(std::string message, const model::Range& range, std::string help = {}) {
    return reporter_.report(rules::conflicting_options, std::move(message), range, std::move(help));
  }

  const model::Range& mode_range() const {
    const Value* mode = member_value(frontend_, "mode");
    return mode ? mode->range : range_;
  }

  void check_mode() {
    if (mode_.empty()) return;
    if (mode_ != "static" && mode_ != "revalidate") {
      report(fmt::format("'frontend.mode' cannot be '{}'", mode_), mode_range(),
             "write \"static\" or \"revalidate\", or omit it for rendering on demand");
    } else if (route_.method != "GET") {
      report(fmt::format("'frontend.mode' '{}' needs a GET route", mode_), mode_range(),
             "pages are rendered in advance only for requests that change nothing");
    }
  }

  void needs_mode(std::string_view member, std::string_view needed) {
    const model::Member* found = find_member(frontend_, member);
    if (!found || mode_ == needed) return;
    report(fmt::format("'frontend.{}' needs 'frontend.mode' to be '{}'", member, needed),
           found->name_range);
  }

  void needs_page(std::string_view reason) {
    if (!string_member(frontend_, "page").empty()) return;
    const bool is_static = mode_ == "static";
    report(is_static ? "'frontend.mode' 'static' needs 'frontend.page'"
                     : "'frontend.client_only' needs 'frontend.page'",
           is_static ? mode_range() : find_member(frontend_, "client_only")->name_range,
           fmt::format("name the page, because {}", reason));
  }

  void check_data() {
    const model::Member* data = find_member(frontend_, "data");
    if (!data || mode_ != "static") return;
    report("'frontend.mode' 'static' excludes 'frontend.data'", data->name_range,
           "remove it: the data of a static page is an object of 'frontend.static_params'")
        .notes.push_back({"the mode is set here", mode_range()});
  }

  void check_interval() {
    const Value* interval = member_value(frontend_, "revalidate");
    const auto seconds = interval ? number_of(*interval) : std::nullopt;
    if (seconds && *seconds <= 0) {
      report("'frontend.revalidate' must be a positive number of seconds", interval->range);
    } else if (!interval && mode_ == "revalidate") {
      report("'frontend.mode' 'revalidate' needs 'frontend.revalidate'", mode_range(),
             "write the seconds after which the page is rendered again");
    }
  }

  void check_hydration() {
    const std::string hydration = string_member(frontend_, "hydration");
    if (hydration.empty()) return;
    const Value& value = *member_value(frontend_, "hydration");
    if (hydration != "none") {
      report(fmt::format("'frontend.hydration' cannot be '{}'", hydration), value.range,
             "write \"none\" for pages without scripts, or omit it");
    } else if (flag_member(frontend_, "client_only").value_or(false)) {
      report("'frontend.hydration' 'none' excludes 'frontend.client_only'", value.range,
             "without hydration nothing would render the page in the browser")
          .notes.push_back(
              {"'client_only' is set here", find_member(frontend_, "client_only")->name_range});
    }
  }

  /// Each object of `static_params` has a value for each parameter of the path; it may have more.
  void check_parameters() {
    const model::Member* member = find_member(frontend_, "static_params");
    if (!member) {
      if (parameters_.empty() || mode_ != "static") return;
      report("'frontend.mode' 'static' needs 'frontend.static_params' for a path with parameters",
             mode_range(), fmt::format("list the values of '{}'", parameters_.front()));
      return;
    }
    const auto frontend = route_.options.find("frontend");
    if (frontend == route_.options.end()) return;
    const model::Json list = frontend->value("staticParams", model::Json());
    const auto has_parameters = [&](const model::Json& params) {
      return params.is_object() && std::ranges::all_of(parameters_, [&](const std::string& name) {
               const auto value = params.find(name);
               return value != params.end() && value->is_primitive() && !value->is_null();
             });
    };
    if (parameters_.empty()) {
      report("'frontend.static_params' needs a path with parameters", member->name_range,
             "remove it: the page is rendered once");
    } else if (!list.is_array() || !std::ranges::all_of(list, has_parameters)) {
      report("'frontend.static_params' must be a list of objects with the parameters of the path",
             member->name_range,
             fmt::format("give each object a value for '{}'", parameters_.front()));
    }
  }

  /// A stored page is for all clients, so it must not depend on the caller.
  void check_other_options() {
    for (const std::string_view name : {"auth", "cache", "session", "validate"}) {
      if (name == "validate" && mode_ != "static") continue;
      const model::Member* other = find_member(options_, name);
      if (!other || other->value.kind == Value::Kind::null) continue;
      if (other->value.kind == Value::Kind::boolean && !other->value.boolean) continue;
      report(
          fmt::format("'frontend.mode' '{}' excludes '{}'", mode_, name), other->name_range,
          name == "cache" ? "the rendering is stored already" : "one rendering is sent to everyone")
          .notes.push_back({"the mode is set here", mode_range()});
    }
  }

  const Value& options_;
  const Value& frontend_;
  const model::Range range_;
  const model::Route& route_;
  const std::vector<std::string>& parameters_;
  Reporter& reporter_;
  const std::string mode_;
};

}  // namespace

void check_page_options(const Value& options, const model::Route& route,
                        const std::vector<std::string>& parameters, Reporter& reporter) {
  const model::Member* frontend = find_member(options, "frontend");
  if (!frontend) return;
  PageOptions(options, *frontend, route, parameters, reporter).check();
}

}  // namespace fairway::rules
