// fairway rewrite-schemas: turns the schema maps of a route file into structs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/counted.hpp"
#include "cli/commands.hpp"
#include "cli/report_findings.hpp"
#include "diff/comparisons.hpp"
#include "emit/application_files.hpp"
#include "emit/openapi.hpp"
#include "files/generated_note.hpp"
#include "files/whole_file.hpp"
#include "model/cpp_names.hpp"
#include "project/project.hpp"
#include "rewrite/rewrite_schemas.hpp"

namespace fairway::cli {
namespace {

namespace fs = std::filesystem;
using rewrite::RewrittenFile;
using rewrite::SchemaId;

struct RewriteOptions {
  project::ProjectOptions project;
  std::string file;
  bool write = false;
  ReportOptions report;
};

/// Rewrites what can be rewritten so that the file still compiles and its document stays the same.
class FileRewriter {
 public:
  FileRewriter(const project::ProjectReader& reader, const project::Project& project,
               const model::ParsedFile& file, const model::RouteFile& routes, std::string text)
      : reader_(reader),
        project_(project),
        path_(reader.source_dir() / file.path),
        source_{.file = file,
                .routes = routes,
                .text = std::move(text),
                .route_types = {},
                .taken = {}} {
    source_.route_types = emit::generated_code().header_types(project.application, routes).routes;
    source_.json_names = reader.json_names(file.path);
    for (const model::TypeCode& code : project.application.types) {
      source_.taken.insert(code.type.component);
    }
    find_users();
  }

  const std::string& before() const { return source_.text; }

  RewrittenFile run() {
    while (true) {
      RewrittenFile rewritten = rewrite::rewrite_schemas(source_, excluded_);
      // Each round excludes one schema at least.
      if (rewritten.schemas.empty() || !exclude(rewritten)) return rewritten;
    }
  }

 private:
  using Unsaved = project::ProjectReader::Unsaved;

  /// Finds other sources that include the generated header of the file.
  void find_users() {
    const std::string header = model::included_routes_header(source_.file.path);
    constexpr std::array<std::string_view, 6> kExtensions = {".hpp", ".h",  ".hh",
                                                             ".cpp", ".cc", ".cxx"};
    for (const auto& entry : fs::recursive_directory_iterator(reader_.source_dir())) {
      const std::string extension = entry.path().extension().string();
      const bool is_other = entry.is_regular_file() &&
                            std::ranges::find(kExtensions, extension) != kExtensions.end() &&
                            entry.path() != path_;
      if (!is_other) continue;
      auto text = files::read_file(entry.path());
      if (text && text->find(header) != std::string::npos) {
        source_.users.emplace(project::display_path(entry.path()), std::move(*text));
      }
    }
  }

  /// Excludes the schemas that cannot be rewritten after all. Returns whether there are any.
  bool exclude(const RewrittenFile& rewritten) {
    auto unsaved = std::make_shared<files::UnsavedFiles>();
    (*unsaved)[path_.string()] = rewritten.text;
    std::vector<model::ParsedFile> parsed = project_.parsed;
    const auto file = std::ranges::find(parsed, source_.file.path, &model::ParsedFile::path);
    *file = reader_.parse({source_.file.path}, unsaved).front().file;
    const model::ParsedFile after = *file;
    project::ProjectReader::TypedFiles typed;
    const project::Project project = reader_.resolve(std::move(parsed), unsaved, typed);
    for (const model::Diagnostic& error : project.report.diagnostics) {
      if (error.severity != model::Severity::error) continue;
      return exclude(rewritten, route_at(after, error.range), error.message);
    }
    add_generated_headers(project.application, after, *unsaved);
    const auto errors = reader_.errors_of_build(source_.file.path, unsaved);
    if (!errors.empty()) {
      return exclude(rewritten, route_at(after, errors[0].range), compile_error(errors[0]));
    }
    const auto changes =
        diff::compare_documents({"before", emit::default_openapi_document(project_.application)},
                                {"after", emit::default_openapi_document(project.application)});
    for (const diff::Change& change : changes) {
      if (is_inferred(rewritten, change)) continue;
      return exclude(rewritten, route_of(change), "the document would change: " + change.message);
    }
    return false;
  }

  /// Whether a change is that the compiler knows more about a response that nothing declares: the
  /// types that a handler sends are known when generated structs are not.
  bool is_inferred(const RewrittenFile& rewritten, const diff::Change& change) const {
    constexpr std::string_view kResponse = "response ";
    if (change.level == diff::Level::breaking || !change.location.starts_with(kResponse)) {
      return false;
    }
    const std::string selector =
        change.location.substr(kResponse.size(), change.location.find(':') - kResponse.size());
    const SchemaId declared{route_of(change), "responses." + selector};
    return std::ranges::none_of(rewritten.schemas,
                                [&](const auto& each) { return each.schema == declared; });
  }

  static constexpr std::size_t kNoRoute = static_cast<std::size_t>(-1);

  bool exclude(const RewrittenFile& rewritten, std::size_t route, const std::string& reason) {
    const auto exclude_if = [&](const auto& predicate) {
      bool is_any = false;
      for (const rewrite::RewrittenSchema& each : rewritten.schemas) {
        if (!predicate(each)) continue;
        excluded_.emplace(each.schema, reason);
        is_any = true;
      }
      return is_any;
    };
    return exclude_if([&](const auto& each) { return each.schema.route == route; }) ||
           exclude_if([](const auto& each) { return each.has_uses; }) ||
           exclude_if([](const auto&) { return true; });
  }

  static std::string compile_error(const model::Diagnostic& error) {
    return fmt::format("the file would not compile: {}", error.message);
  }

  /// The index of the route whose registration contains a range.
  static std::size_t route_at(const model::ParsedFile& file, const model::Range& range) {
    const auto found = std::ranges::find_if(
        file.registrations,
        [&](const model::Registration& each) { return each.range.contains(range); });
    return found == file.registrations.end()
               ? kNoRoute
               : static_cast<std::size_t>(found - file.registrations.begin());
  }

  std::size_t route_of(const diff::Change& change) const {
    const auto& routes = source_.routes.routes;
    const auto found = std::ranges::find_if(routes, [&](const model::Route& route) {
      std::string path;
      for (const char c : change.path) path += c == '{' ? ":" : c == '}' ? "" : std::string(1, c);
      return route.method == change.method && route.path == path;
    });
    return found == routes.end() ? kNoRoute : static_cast<std::size_t>(found - routes.begin());
  }

  /// Adds the headers that a build would generate, beside the file that includes them.
  void add_generated_headers(const model::Application& application, const model::ParsedFile& file,
                             files::UnsavedFiles& unsaved) const {
    for (const model::GeneratedInclude& include : file.generated_includes) {
      const auto routes = std::ranges::find_if(application.files, [&](const auto& each) {
        return model::routes_header_path(each.path).ends_with("/" + include.name) &&
               (include.name == model::included_routes_header(each.path) ||
                include.name == model::routes_header_path(each.path));
      });
      if (routes == application.files.end()) continue;
      std::string header = emit::emit_route_types(application, *routes).header;
      // With the note, the file would not be read.
      const std::size_t note = header.find(files::kGeneratedNote);
      if (note != std::string::npos) header.erase(note, files::kGeneratedNote.size());
      unsaved[(path_.parent_path() / include.name).lexically_normal().string()] = std::move(header);
    }
  }

  const project::ProjectReader& reader_;
  const project::Project& project_;
  fs::path path_;
  rewrite::RouteSource source_;
  std::map<SchemaId, std::string> excluded_;
};

void print_left_alone(const RewrittenFile& rewritten) {
  for (const rewrite::LeftAlone& each : rewritten.left_alone) {
    std::cerr << fmt::format("{}:{}:{}: '{}' is left alone: {}\n", each.range.file, each.range.line,
                             each.range.column, each.schema.option, each.reason);
  }
}

int run(const RewriteOptions& options) {
  if (options.file.empty()) throw command::UsageError("FILE is required: a route file");
  const project::ProjectReader reader(options.project);
  const project::Project project = reader.read();
  if (!project.report.ok()) return report_findings(project.report, options.report, std::cerr);
  std::error_code error;
  const fs::path wanted = fs::weakly_canonical(options.file, error);
  const auto routes =
      std::ranges::find_if(project.application.files, [&](const model::RouteFile& each) {
        return fs::weakly_canonical(reader.source_dir() / each.path, error) == wanted;
      });
  const auto file =
      routes == project.application.files.end()
          ? project.parsed.end()
          : std::ranges::find(project.parsed, routes->export_path, &model::ParsedFile::path);
  if (file == project.parsed.end() || routes->export_path != routes->path) {
    throw command::UsageError(fmt::format("'{}' is no file with routes below '{}'", options.file,
                                          options.project.source_dir.string()));
  }
  auto text = files::read_file(wanted);
  if (!text) throw command::UsageError(fmt::format("cannot read '{}'", options.file));
  FileRewriter rewriter(reader, project, *file, *routes, std::move(*text));
  const RewrittenFile rewritten = rewriter.run();
  print_left_alone(rewritten);
  if (rewritten.schemas.empty()) {
    std::cerr << fmt::format("{}: no schema map is rewritten\n", file->display_path);
    return command::kClean;
  }
  const std::string summary = fmt::format("{}: {} as {}\n", file->display_path,
                                          fw::base::counted(rewritten.schemas.size(), "schema map"),
                                          fw::base::counted(rewritten.structs, "struct"));
  if (options.write) {
    files::replace_file(wanted, rewritten.text);
    std::cerr << summary;
  } else {
    std::cout << rewrite::unified_diff(file->display_path, rewriter.before(), rewritten.text)
              << std::flush;
    std::cerr << summary << "nothing is written without --write\n";
  }
  return command::kClean;
}

}  // namespace

void declare_rewrite_schemas(command::Command& command) {
  const auto options = std::make_shared<RewriteOptions>();
  command.operand("FILE", options->file);
  command.synopsis = "[options] FILE [-- FLAGS]";
  command.description =
      "Turns the schema maps in 'validate' and 'responses' of a route file into structs with "
      "fw::Field members, and 'req.valid' of their generated structs into 'req.valid' of these. "
      "Prints the change as a unified diff, and writes it with --write. The document stays the "
      "same except for the names of its components, and the route compiler checks that the "
      "handlers still compile. Schemas for which that is not certain are left alone, with the "
      "reason: computed ones, for example, and JSON Schemas.";
  command.examples = {{"fairway rewrite-schemas src/routes/users.cpp", "show the change"},
                      {"fairway rewrite-schemas --write src/routes/users.cpp", "write it"}};
  command.clean = "the change was printed or written, or there is none";
  options->project.declare(command);
  command.group("Output").flag("--write", options->write,
                               "write FILE instead of printing the diff");
  options->report.declare(command, options->project);
  command.run = [options](std::span<const std::string>) { return run(*options); };
}

}  // namespace fairway::cli
