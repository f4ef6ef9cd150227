#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <string>
#include <string_view>

#include "base/suggest.hpp"
#include "files/generated_note.hpp"
#include "model/cpp_names.hpp"
#include "model/registration_words.hpp"
#include "rules/application_rules.hpp"
#include "rules/reporter.hpp"
#include "rules/route_rules.hpp"

namespace fairway::rules {
namespace {

using model::GeneratedName;
using model::ParsedFile;
using model::Route;
using model::RouteFile;

/// Of the generated headers, below an include directory.
constexpr std::string_view kFolder = "fairway/routes/";

/// The first `count` parts of a name: "routes::users".
std::string joined(const std::vector<std::string>& parts, std::size_t count) {
  return fmt::format("{}",
                     fmt::join(parts.begin(), parts.begin() + static_cast<long>(count), "::"));
}
std::string joined(const std::vector<std::string>& parts) { return joined(parts, parts.size()); }

/// The request location whose struct has this name, or null.
const std::string_view* location_named(std::string_view name) {
  const auto* found = std::ranges::find_if(model::kRequestLocations, [&](std::string_view each) {
    return model::type_name(each) == name;
  });
  return found == model::kRequestLocations.end() ? nullptr : found;
}

/// The meaning of a name.
struct Meaning {
  const RouteFile* file = nullptr;
  const Route* route = nullptr;
  std::string_view location;  ///< "body"; empty for other types of a route
};

class GeneratedTypes {
 public:
  GeneratedTypes(const model::Application& application, const resolve::GeneratedCode& code,
                 const std::set<std::string>& missing_headers, model::Diagnostics& diagnostics)
      : application_(application),
        code_(code),
        missing_headers_(missing_headers),
        diagnostics_(diagnostics) {
    for (const model::Diagnostic& each : diagnostics) {
      if (each.severity == model::Severity::error) files_with_errors_.insert(each.range.file);
    }
    for (const RouteFile& file : application.files) {
      spaces_.emplace(model::namespace_of(file.path), &file);
      headers_.insert(model::included_routes_header(file.path));
    }
  }

  void check(const ParsedFile& file) {
    std::set<std::string_view> included;
    std::vector<const model::GeneratedInclude*> unknown;
    for (const auto& include : file.generated_includes) {
      std::string_view name = include.name;
      if (name.starts_with(kFolder)) name.remove_prefix(kFolder.size());
      const bool is_known = headers_.contains(name);
      if (is_known || !include.is_condition) included.insert(name);
      if (!is_known && !include.is_condition) unknown.push_back(&include);
    }
    std::map<model::Range, Meaning> meanings;
    names_ = &file.generated_names;
    for (const GeneratedName& name : file.generated_names) {
      const auto space = space_of(name);
      if (space == spaces_.end()) {
        if (check_outer_space(file, name, included, unknown)) continue;
        // An included header of another application may declare it.
        if (unknown.empty() && !name.is_assumed) unknown_space(file, name);
      } else if (const std::string header = model::included_routes_header(space->second->path);
                 !included.contains(header)) {
        missing_header(file, name, header, unknown);
        included.insert(*headers_.find(header));
      } else if (const auto meaning = meaning_of(*space->second, space->first, name)) {
        meanings.emplace(name.range, *meaning);
      }
    }
    for (const model::GeneratedInclude* include : unknown) check_exists(*include);
    check_validated(file, meanings);
    check_own_types(file, included);
  }

 private:
  using Spaces = std::map<std::string, const RouteFile*>;

  /// An include of the header of a route file that does not exist, or no longer.
  void check_exists(const model::GeneratedInclude& include) {
    if (!missing_headers_.contains(include.name) || !reported_.insert(include.range).second) return;
    std::string_view path = include.name;
    if (path.starts_with(kFolder)) path.remove_prefix(kFolder.size());
    path.remove_suffix(files::kGeneratedSuffix.size());
    Reporter(diagnostics_)
        .report(rules::missing_types_header,
                fmt::format("'{}' is not the generated header of any route file", include.name),
                include.range, fmt::format("remove the include, or add 'routes/{}.cpp'", path));
  }

  /// The code of a type that a route file defines is in the header of that file.
  void check_own_types(const ParsedFile& file, const std::set<std::string_view>& included) {
    const auto own = std::ranges::find(application_.files, file.path, &RouteFile::path);
    const auto code = std::ranges::find(application_.types, file.path, &model::TypeCode::file);
    if (own == application_.files.end() || code == application_.types.end()) return;
    const std::string header = model::included_routes_header(own->path);
    if (included.contains(header)) return;
    auto& diagnostic = Reporter(diagnostics_)
                           .report(rules::missing_types_header,
                                   fmt::format("the code of '{}' is in '{}', which is not included",
                                               code->type.component, header),
                                   code->type.range, fmt::format("include \"{}\"", header));
    if (file.include_end.line != 0) {
      diagnostic.fixes.push_back({file.include_end, fmt::format("\n#include \"{}\"", header)});
    }
  }

  /// The longest namespace that the name begins with.
  Spaces::const_iterator space_of(const GeneratedName& name) const {
    for (std::size_t count = name.parts.size(); count > 1; --count) {
      const auto found = spaces_.find(joined(name.parts, count));
      if (found != spaces_.end()) return found;
    }
    return spaces_.end();
  }

  /// A namespace that contains only namespaces of route files, such as `routes::api` of
  /// `routes/api/users.cpp`. False if the name means something else.
  bool check_outer_space(const ParsedFile& file, const GeneratedName& name,
                         std::set<std::string_view>& included,
                         const std::vector<const model::GeneratedInclude*>& unknown) {
    const std::string begin = joined(name.parts) + "::";
    const auto first = spaces_.lower_bound(begin);
    const auto is_inner = [&](const auto& each) { return each.first.starts_with(begin); };
    if (first == spaces_.end() || !is_inner(*first)) return false;
    const auto has_header = [&](const auto& each) {
      return included.contains(model::included_routes_header(each.second->path));
    };
    const auto last = std::find_if_not(first, spaces_.end(), is_inner);
    if (name.use == model::NameUse::type) {
      wrong_use(name, "a namespace, not a type", "namespace");
    } else if (name.parts.size() > 1 && !name.is_assumed && std::none_of(first, last, has_header)) {
      const std::string header = model::included_routes_header(first->second->path);
      missing_header(file, name, header, unknown);
      included.insert(*headers_.find(header));
    }
    return true;
  }

  /// A name that does not mean what a namespace alias, an alias or a using-directive needs.
  /// `keyword`: of the declaration that accepts it.
  void wrong_use(const GeneratedName& name, std::string_view is, std::string_view keyword) {
    const std::string written = joined(name.parts);
    const std::string alias = name.parts.size() > 1 ? name.parts.back() : "types";
    std::string help = fmt::format("write '{} {} = {};'", keyword, alias, written);
    Reporter(diagnostics_)
        .report(rules::unknown_route_type, fmt::format("'{}' is {}", written, is), name.range,
                std::move(help));
  }

  void unknown_space(const ParsedFile& file, const GeneratedName& name) {
    std::vector<std::string_view> spaces;
    for (const auto& [space, each] : spaces_) spaces.push_back(space);
    const std::string written = joined(name.parts, 2);
    std::string help = fw::base::did_you_mean(written, spaces);
    if (help.starts_with("; ")) help.erase(0, 2);
    const auto own = std::ranges::find(application_.files, file.path, &RouteFile::path);
    if (help.empty() && own != application_.files.end()) {
      help = fmt::format("the types of this file are in the namespace '{}'",
                         model::namespace_of(own->path));
    } else if (help.empty()) {
      help =
          "the namespace follows the path of the route file: 'routes::users' for "
          "'routes/users.cpp'";
    }
    Reporter(diagnostics_)
        .report(rules::unknown_route_type, fmt::format("no route file has types in '{}'", written),
                name.range, std::move(help));
  }

  void missing_header(const ParsedFile& file, const GeneratedName& name, const std::string& header,
                      const std::vector<const model::GeneratedInclude*>& unknown) {
    Reporter reporter(diagnostics_);
    std::string help = fmt::format("include \"{}\"", header);
    // A header that does not exist is probably a misspelling of this one.
    if (unknown.size() == 1 && !unknown.front()->in_header) {
      if (!reported_.insert(unknown.front()->range).second) return;
      auto& diagnostic = reporter.report(
          rules::missing_types_header,
          fmt::format("'{}' is not the generated header of any route file", unknown.front()->name),
          unknown.front()->range, std::move(help));
      diagnostic.notes.push_back(
          {fmt::format("'{}' is used here", joined(name.parts)), name.range});
      diagnostic.fixes.push_back({unknown.front()->range, fmt::format("\"{}\"", header)});
      return;
    }
    auto& diagnostic = reporter.report(
        rules::missing_types_header,
        fmt::format("'{}' is declared in '{}', which is not included", joined(name.parts), header),
        name.range, std::move(help));
    if (file.include_end.line != 0) {
      diagnostic.fixes.push_back({file.include_end, fmt::format("\n#include \"{}\"", header)});
    }
  }

  /// Empty for names with an error, and for names that do not belong to one route.
  std::optional<Meaning> meaning_of(const RouteFile& file, const std::string& space,
                                    const GeneratedName& name) {
    if (files_with_errors_.contains(file.display_path)) return std::nullopt;
    auto part = name.parts.begin() + 1 + std::ranges::count(space, ':') / 2;
    // The types of a named application are in an inline namespace, too.
    if (part != name.parts.end() && !application_.name.empty() &&
        *part == model::app_function(application_.name)) {
      ++part;
    }
    if (part == name.parts.end()) {
      if (name.use == model::NameUse::type) wrong_use(name, "a namespace, not a type", "namespace");
      return std::nullopt;
    }
    const resolve::HeaderTypes& types = types_of(file);
    const bool is_shared = types.shared.contains(*part);
    const auto found = std::ranges::find(types.routes, *part);
    if (name.use == model::NameUse::space && (is_shared || found != types.routes.end())) {
      wrong_use(name, "a type, not a namespace", "using");
      return std::nullopt;
    }
    if (is_shared) return std::nullopt;
    if (found == types.routes.end()) {
      const auto index = static_cast<std::size_t>(part - name.parts.begin());
      if (!name.is_assumed && !is_explained(name, index)) unknown_type(file, types, *part, name);
      return std::nullopt;
    }
    const Route& route = file.routes[static_cast<std::size_t>(found - types.routes.begin())];
    if (!route.has_generated_types()) {
      Reporter(diagnostics_)
          .report(rules::unknown_route_type,
                  fmt::format("'{}' has no types: {} {} declares no schemas", *part, route.method,
                              route.path),
                  name.range, "declare them in 'validate' or 'responses'");
      return std::nullopt;
    }
    Meaning meaning{&file, &route, {}};
    if (++part == name.parts.end()) return meaning;
    const std::string_view* location = location_named(*part);
    if (location == nullptr) return meaning;
    meaning.location = *location;
    if (route.schema_of(*location) != nullptr) return meaning;
    Reporter(diagnostics_)
        .report(rules::unknown_route_type,
                fmt::format("'{}' has no '{}': {} {} declares no 'validate.{}'", *(part - 1), *part,
                            route.method, route.path, *location),
                name.range, fmt::format("declare it in 'validate.{}'", *location));
    return std::nullopt;
  }

  /// Whether the name is an alias whose declaration names the same unknown part.
  bool is_explained(const GeneratedName& name, std::size_t part) const {
    return name.is_alias && std::ranges::any_of(*names_, [&](const GeneratedName& other) {
             return !other.is_alias && other.use == model::NameUse::type &&
                    part < other.parts.size() &&
                    std::equal(name.parts.begin(), name.parts.begin() + static_cast<long>(part) + 1,
                               other.parts.begin());
           });
  }

  void unknown_type(const RouteFile& file, const resolve::HeaderTypes& types,
                    const std::string& type, const GeneratedName& name) {
    std::vector<std::string_view> names(types.shared.begin(), types.shared.end());
    for (std::size_t index = 0; index < types.routes.size(); ++index) {
      if (file.routes[index].has_generated_types()) names.push_back(types.routes[index]);
    }
    std::string help = fw::base::did_you_mean(type, names);
    if (help.starts_with("; ")) help.erase(0, 2);
    if (help.empty()) {
      help = names.empty() ? "a route has types for the schemas in its 'validate' and 'responses'"
                           : fmt::format("the types of '{}' are '{}'", file.display_path,
                                         fmt::join(names, "', '"));
    }
    Reporter(diagnostics_)
        .report(rules::unknown_route_type,
                fmt::format("no route of '{}' has the type '{}'", file.display_path, type),
                name.range, std::move(help));
  }

  /// A handler that several routes share may use the types of any of them.
  void check_validated(const ParsedFile& parsed, const std::map<model::Range, Meaning>& meanings) {
    const auto own = std::ranges::find(application_.files, parsed.path, &RouteFile::path);
    if (own == application_.files.end() || own->routes.size() != parsed.registrations.size()) {
      return;
    }
    std::map<model::Range, const Route*> wrong;
    std::set<model::Range> right;
    std::map<model::Range, const GeneratedName*> names;
    for (std::size_t index = 0; index < own->routes.size(); ++index) {
      const Route& route = own->routes[index];
      for (const GeneratedName& name : parsed.registrations[index].handler.validated) {
        const auto meaning = meanings.find(name.range);
        if (meaning == meanings.end() || meaning->second.location.empty()) continue;
        names.emplace(name.range, &name);
        const auto* declared = route.schema_of(meaning->second.location);
        const auto* meant = meaning->second.route->schema_of(meaning->second.location);
        if (declared != nullptr && code_.have_one_type(declared->schema, meant->schema)) {
          right.insert(name.range);
        } else {
          wrong.emplace(name.range, &route);
        }
      }
    }
    for (const auto& [range, route] : wrong) {
      if (!right.contains(range)) {
        foreign_type(*own, *route, meanings.at(range), *names.at(range));
      }
    }
  }

  void foreign_type(const RouteFile& file, const Route& route, const Meaning& meaning,
                    const GeneratedName& name) {
    Reporter reporter(diagnostics_, route.method, route.path);
    auto& diagnostic =
        reporter.report(rules::type_of_another_route,
                        fmt::format("'{}' is the type of another route, {} {}", joined(name.parts),
                                    meaning.route->method, meaning.route->path),
                        name.range);
    if (route.schema_of(meaning.location) == nullptr) {
      diagnostic.help = fmt::format("this route declares no 'validate.{}'", meaning.location);
      return;
    }
    const auto index = static_cast<std::size_t>(&route - file.routes.data());
    const std::string type =
        fmt::format("{}::{}::{}", model::namespace_of(file.path), types_of(file).routes[index],
                    model::type_name(meaning.location));
    diagnostic.help = fmt::format("write 'req.valid<{}>()'", type);
    if (!name.in_macro) diagnostic.fixes.push_back({name.range, type});
  }

  const resolve::HeaderTypes& types_of(const RouteFile& file) {
    const auto found = types_.find(&file);
    if (found != types_.end()) return found->second;
    return types_.emplace(&file, code_.header_types(application_, file)).first->second;
  }

  const model::Application& application_;
  const resolve::GeneratedCode& code_;
  const std::set<std::string>& missing_headers_;
  model::Diagnostics& diagnostics_;
  const std::vector<GeneratedName>* names_ = nullptr;  ///< of the file
  std::set<model::Range> reported_;                    ///< includes; a header is in several files
  std::set<std::string> files_with_errors_;
  Spaces spaces_;
  std::set<std::string, std::less<>> headers_;
  std::map<const RouteFile*, resolve::HeaderTypes> types_;
};

}  // namespace

void check_generated_types(const model::Application& application,
                           const std::vector<const ParsedFile*>& files,
                           const resolve::GeneratedCode& code,
                           const std::set<std::string>& missing_headers,
                           model::Diagnostics& diagnostics) {
  GeneratedTypes types(application, code, missing_headers, diagnostics);
  for (const ParsedFile* file : files) types.check(*file);
}

}  // namespace fairway::rules
