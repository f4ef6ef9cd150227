#include "project/project.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <fstream>
#include <iostream>
#include <mutex>
#include <thread>

#include "base/counted.hpp"
#include "diagnostics/display_line.hpp"
#include "emit/application_files.hpp"
#include "files/archive.hpp"
#include "files/whole_file.hpp"
#include "model/cpp_names.hpp"
#include "model/parsed_file_archive.hpp"
#include "project/installation.hpp"
#include "resolve/route_files.hpp"
#include "rules/lints.hpp"
#include "rules/nolint.hpp"
#include "rules/route_rules.hpp"

namespace fairway::project {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> read_lines(const fs::path& path) {
  std::ifstream file(path);
  if (!file)
    throw command::UsageError(fmt::format("--flags-file: cannot read '{}'", path.string()));
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

/// The nearest directory with a compilation database. Searches the source directory and its
/// parents, and in each `build`, like clangd, and `build/dev`, which the preset `dev` of new
/// projects writes. Empty if there is none.
fs::path build_directory_above(const fs::path& source_dir) {
  std::error_code ignored;
  for (fs::path folder = source_dir;; folder = folder.parent_path()) {
    for (const fs::path& location : {folder, folder / "build", folder / "build/dev"}) {
      if (fs::exists(location / "compile_commands.json", ignored)) return location;
    }
    if (folder == folder.parent_path()) return {};
  }
}

/// A program may read the project several times: each note is printed once.
void print_note_once(const std::string& note) {
  static std::mutex mutex;
  static std::set<std::string> printed;
  const std::lock_guard lock(mutex);
  if (note.empty() || !printed.insert(note).second) return;
  std::cerr << "fairway: note: " << diagnostics::display_text(note) << '\n';
}

/// The flags for sources without a compilation database.
std::unique_ptr<frontend::FlagsProvider> guessed_flags(const std::string& here,
                                                       const fs::path& source_dir) {
  const auto include_directory = framework_include_directory();
  if (!include_directory) return nullptr;
  print_note_once(
      fmt::format("no compile_commands.json in or above the source directory: files are parsed as "
                  "C++20 with the headers "
                  "of '{}' and of the source directory; specify the build directory with -p, or "
                  "the flags after '--'",
                  include_directory->string()));
  return frontend::fixed_flags(
      {"-std=c++20", "-I" + include_directory->string(), "-I" + source_dir.string()}, here);
}

std::unique_ptr<frontend::FlagsProvider> flags_of(const ProjectOptions& options,
                                                  const fs::path& source_dir,
                                                  const std::string& name) {
  const std::string here = fs::current_path().string();
  if (!options.compiler_flags.empty()) return frontend::fixed_flags(options.compiler_flags, here);
  if (!options.flags_file.empty()) {
    return frontend::fixed_flags(read_lines(options.flags_file), here);
  }
  const fs::path build_dir =
      options.build_dir.empty() ? build_directory_above(source_dir) : options.build_dir;
  if (build_dir.empty() && options.objects.empty()) {
    if (auto guessed = guessed_flags(here, source_dir)) return guessed;
  }
  const fs::path objects =
      options.objects.empty() ? fs::path() : fs::absolute(options.objects).lexically_normal();
  auto flags = frontend::flags_from_database(
      build_dir.empty() ? "build" : build_dir.string(),
      {.object_dir = objects.string(), .name = name, .source_dir = source_dir.string()});
  print_note_once(flags->note());
  return flags;
}

/// Runs `work(index)` for all indices below `count` on up to `jobs` threads. Returns the exception
/// of each index, so that the reported error does not depend on timing.
template <class Work>
std::vector<std::exception_ptr> in_parallel(std::size_t count, unsigned jobs, const Work& work) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::exception_ptr> errors(count);
  const auto worker = [&] {
    for (std::size_t index; (index = next++) < count;) {
      try {
        work(index);
      } catch (...) {
        errors[index] = std::current_exception();
      }
    }
  };
  std::vector<std::jthread> threads;
  for (std::size_t index = 1; index < std::min<std::size_t>(jobs, count); ++index) {
    threads.emplace_back(worker);
  }
  worker();
  threads.clear();
  return errors;
}

/// Throws one EnvironmentError with all distinct messages. Other exceptions are rethrown unchanged.
void throw_combined(const std::vector<std::exception_ptr>& errors) {
  std::vector<std::string> messages;
  for (const std::exception_ptr& error : errors) {
    try {
      if (error) std::rethrow_exception(error);
    } catch (const frontend::EnvironmentError& environment) {
      const std::string message = environment.what();
      if (std::ranges::find(messages, message) == messages.end()) messages.push_back(message);
    }
  }
  if (!messages.empty()) {
    throw frontend::EnvironmentError(fmt::format("{}", fmt::join(messages, "\n")));
  }
}

/// The types in a type, by name.
struct Members {
  std::map<std::string, Members> types;

  std::string declarations() const {
    std::string text;
    for (const auto& [name, members] : types) {
      text += fmt::format("struct {} {{ {}}}; ", name, members.declarations());
    }
    return text;
  }
};

/// Declares the operations that the file names and that no route of the header has. A registration
/// whose handler names its own types, `Handler<routes::users::Show>{}`, is only known when its file
/// is read with such a declaration.
std::string unknown_operations(const model::RouteFile& routes, const resolve::HeaderTypes& known,
                               const model::ParsedFile& file) {
  const std::string space = model::namespace_of(routes.path);
  const auto parts = std::ranges::count(space, ':') / 2 + 1;
  Members unknown;
  for (const model::GeneratedName& name : file.generated_names) {
    if (std::ssize(name.parts) <= parts) continue;
    const auto operation = name.parts.begin() + parts;
    if (fmt::to_string(fmt::join(name.parts.begin(), operation, "::")) != space ||
        std::ranges::find(known.routes, *operation) != known.routes.end() ||
        known.shared.contains(*operation)) {
      continue;
    }
    Members* members = &unknown.types[*operation];
    for (const char* part : {"Param", "Query", "Header", "Cookie", "Body"}) members->types[part];
    for (auto part = operation + 1; part != name.parts.end(); ++part) {
      members = &members->types[*part];
    }
  }
  return unknown.types.empty()
             ? ""
             : fmt::format("namespace {} {{ {}}}\n", space, unknown.declarations());
}

/// The files with errors, but for those about the use of generated types, by their display paths.
std::set<std::string> files_with_errors(const model::Diagnostics& diagnostics) {
  std::set<std::string> files;
  for (const model::Diagnostic& each : diagnostics) {
    const bool is_about_use = each.id == rules::missing_types_header.id ||
                              each.id == rules::unknown_route_type.id ||
                              each.id == rules::type_of_another_route.id;
    if (each.severity == model::Severity::error && !is_about_use) files.insert(each.range.file);
  }
  return files;
}

/// Finds the headers for includes; `broken` files have none. The application must outlive the
/// object.
class RouteFilesByHeader {
 public:
  RouteFilesByHeader(const model::Application& application, const std::set<std::string>& broken) {
    for (const model::RouteFile& routes : application.files) {
      const bool is_broken = broken.contains(routes.display_path);
      for (const std::string& name :
           {model::included_routes_header(routes.path), model::routes_header_path(routes.path)}) {
        files_.emplace(name, is_broken ? nullptr : &routes);
      }
    }
  }
  /// Null if there is none.
  const model::RouteFile* find(const std::string& include) const {
    const auto found = files_.find(include);
    return found == files_.end() ? nullptr : found->second;
  }

 private:
  std::map<std::string, const model::RouteFile*> files_;
};

using Headers = std::shared_ptr<const files::UnsavedFiles>;

bool equal(const Headers& a, const Headers& b) {
  return a == nullptr || b == nullptr ? a == b : *a == *b;
}

/// The second reading of a file, with what only the first one finds: the uses of generated types.
model::ParsedFile with_types(const model::ParsedFile& first, model::ParsedFile second) {
  for (const model::GeneratedName& name : first.generated_names) {
    const auto same =
        std::ranges::find(second.generated_names, name.range, &model::GeneratedName::range);
    if (same == second.generated_names.end()) second.generated_names.push_back(name);
  }
  std::ranges::stable_sort(second.generated_names, {}, &model::GeneratedName::range);
  std::vector<model::GeneratedInclude> includes = first.generated_includes;
  for (model::GeneratedInclude& include : second.generated_includes) {
    // In `#if __has_include(…)`, the first reading has skipped it.
    const bool is_known = std::ranges::any_of(includes, [&](const model::GeneratedInclude& each) {
      return each.name == include.name && (!each.is_condition || include.is_condition);
    });
    if (!is_known) includes.push_back(std::move(include));
  }
  second.generated_includes = std::move(includes);
  second.dependencies = first.dependencies;
  for (const model::Registration& each : first.registrations) {
    const auto same =
        std::ranges::find(second.registrations, each.range, &model::Registration::range);
    if (same != second.registrations.end()) same->handler.validated = each.handler.validated;
  }
  return second;
}

}  // namespace

/// The headers that a build would generate for the route files of an application, while it is
/// resolved again and again: each is emitted again if what its file declares has changed.
class ProjectReader::EmittedHeaders {
 public:
  /// The files from which the application is resolved next.
  void begin(const std::vector<model::ParsedFile>& parsed) {
    declared_.clear();
    for (const model::ParsedFile& file : parsed) declared_.emplace(file.path, &file);
    hashes_.clear();
  }

  const emit::RouteTypeDeclarations& of(const model::Application& application,
                                        const model::RouteFile& routes) {
    Emitted& emitted = emitted_[routes.path];
    const std::uint64_t hash = hash_of(application, routes);
    if (emitted.hash != hash) emitted = {hash, emit::emit_route_declarations(application, routes)};
    return emitted.declarations;
  }

  resolve::GeneratedCode code() {
    resolve::GeneratedCode code = emit::generated_code();
    code.header_types = [this](const model::Application& application,
                               const model::RouteFile& file) {
      return of(application, file).types;
    };
    return code;
  }

 private:
  struct Emitted {
    std::optional<std::uint64_t> hash = {};  ///< of what the header depends on
    emit::RouteTypeDeclarations declarations = {};
  };

  std::uint64_t hash_of(const model::Application& application, const model::RouteFile& routes) {
    const auto [known, is_new] = hashes_.try_emplace(&routes, 0);
    if (!is_new) return known->second;
    files::ArchiveWriter writer;
    writer(application.files.size());  // their names are in its namespaces
    for (const model::Route& route : routes.routes) {
      writer(route.method, route.path, route.operation_id, route.docs.summary);
    }
    if (const auto file = declared_.find(routes.export_path); file != declared_.end()) {
      for (const model::Registration& each : file->second->registrations) {
        writer(each.path_value, each.options, each.signature);
      }
    }
    return known->second = files::content_hash(writer.bytes());
  }

  std::map<std::string, const model::ParsedFile*> declared_;
  std::map<const model::RouteFile*, std::uint64_t> hashes_;  ///< since `begin`
  std::map<std::string, Emitted> emitted_;                   ///< by the paths of route files
};

ProjectReader::ProjectReader(const ProjectOptions& options, Flags flags)
    : options_(options),
      source_dir_(fs::absolute(options.source_dir).lexically_normal()),
      sources_(find_sources(source_dir_)),
      flags_(flags_of(options, source_dir_, flags == Flags::named ? options.name : std::string())),
      add_app_arguments_(flags == Flags::named ? read_add_app_arguments(flags_->output_directory())
                                               : AddAppArguments()),
      parser_(options.cache_directory(), {.uses_results = !options.no_cache}) {
  // What fairway_add_app would pass.
  if (flags == Flags::named && flags_->output_directory().empty()) {
    const fs::path config = (options.source_dir / "../config/default.json").lexically_normal();
    std::error_code ignored;
    if (fs::exists(config, ignored)) add_app_arguments_.document.app_config = config;
  }
}

std::vector<std::string> ProjectReader::middlewares() const {
  std::vector<std::string> names = add_app_arguments_.middlewares;
  names.insert(names.end(), options_.middlewares.begin(), options_.middlewares.end());
  return names;
}

std::set<std::string> ProjectReader::known_middlewares() const {
  std::set<std::string> names;
  const auto add = [&](const std::vector<std::string>& files,
                       const std::vector<std::string>& registered) {
    for (const std::string& file : files) {
      if (resolve::role_of(file) == resolve::FileRole::middleware) {
        names.insert(resolve::component_name(file));
      }
    }
    names.insert(registered.begin(), registered.end());
  };
  add(sources_.files, middlewares());
  for (const frontend::ApplicationDirectories& each : flags_->applications()) {
    try {
      add(find_sources(each.source).files, read_add_app_arguments(each.output).middlewares);
    } catch (const UserError&) {
      // Reported when that application is read.
    }
  }
  return names;
}

std::set<std::string> ProjectReader::missing_headers(
    const std::vector<model::ParsedFile>& parsed) const {
  std::set<std::string> missing;
  for (const model::ParsedFile& file : parsed) {
    for (const model::GeneratedInclude& include : file.generated_includes) {
      if (!include.is_condition) missing.insert(include.name);
    }
  }
  const auto find_in = [&](const std::vector<std::string>& files) {
    for (const std::string& file : files) {
      if (missing.empty()) return;
      if (resolve::role_of(file) != resolve::FileRole::route) continue;
      missing.erase(model::included_routes_header(file));
      missing.erase(model::routes_header_path(file));
    }
  };
  find_in(sources_.files);
  if (missing.empty()) return missing;
  // Without a compilation database, other applications are not known.
  if (!options_.flags_file.empty()) return {};
  for (const frontend::ApplicationDirectories& each : flags_->all_applications()) {
    try {
      find_in(find_sources(each.source).files);
    } catch (const UserError&) {
      // Reported when that application is read.
    }
  }
  return missing;
}

model::JsonNames ProjectReader::json_names(const std::string& path) const {
  const std::vector<std::string> arguments = flags_->flags_for(source_dir_ / path).arguments;
  return std::ranges::find(arguments, "-DFAIRWAY_JSON_NAMES_CAMEL_CASE") == arguments.end()
             ? model::JsonNames::as_written
             : model::JsonNames::camel_case;
}

frontend::ParseJob ProjectReader::job(const std::string& path, const Unsaved& unsaved) const {
  return {.source_dir = source_dir_.string(),
          .path = path,
          .flags = flags_->flags_for(source_dir_ / path),
          .unsaved = unsaved,
          .types_follow = true};
}

std::vector<model::PageFile> ProjectReader::read_pages(const Unsaved& unsaved) const {
  std::vector<model::PageFile> pages;
  for (const std::string& path : sources_.pages) {
    const fs::path file = source_dir_ / path;
    const auto edited =
        unsaved == nullptr ? files::UnsavedFiles::const_iterator() : unsaved->find(file.string());
    const bool is_edited = unsaved != nullptr && edited != unsaved->end();
    auto content = is_edited ? edited->second : files::read_file(file);
    if (!content) {
      throw frontend::EnvironmentError(
          fmt::format("cannot read '{}': make it readable", display_path(file)));
    }
    pages.push_back({.path = fs::path(path).lexically_relative("pages").generic_string(),
                     .display_path = display_path(file),
                     .content = std::move(*content)});
  }
  return pages;
}

std::optional<std::uint64_t> ProjectReader::digest() const {
  files::ArchiveWriter writer;
  writer(sources_.ignored);
  for (const std::string& path : sources_.files) {
    const auto file = parser_.digest(job(path));
    if (!file) return std::nullopt;
    writer(path, *file);
  }
  for (const model::PageFile& page : read_pages()) writer(page.path, page.content);
  return files::content_hash(writer.bytes());
}

Project ProjectReader::read() const {
  std::optional<diagnostics::Progress> progress(std::in_place, sources_.files.size(), "file");
  std::vector<model::ParsedFile> parsed;
  for (frontend::ParseResult& each : parse(sources_.files, {}, &*progress)) {
    parsed.push_back(std::move(each.file));
  }
  progress.reset();
  TypedFiles typed;
  return resolve(std::move(parsed), {}, typed);
}

void ProjectReader::find_files(const Unsaved& unsaved) {
  sources_ = find_sources(source_dir_, unsaved.get());
}

std::vector<frontend::ParseResult> ProjectReader::parse(const std::vector<std::string>& paths,
                                                        const Unsaved& unsaved,
                                                        diagnostics::Progress* progress) const {
  std::vector<frontend::ParseResult> parsed(paths.size());
  throw_combined(in_parallel(parsed.size(), options_.job_count(), [&](std::size_t index) {
    parsed[index] = parser_.parse(job(paths[index], unsaved));
    if (progress != nullptr) progress->step();
  }));
  return parsed;
}

model::Diagnostics ProjectReader::errors_of_build(const std::string& path,
                                                  const Unsaved& unsaved) const {
  frontend::ParseJob whole = job(path, unsaved);
  whole.reports_handlers = true;
  whole.types_follow = false;
  return parser_.parse(whole).file.diagnostics;
}

Project ProjectReader::resolve_as_read(std::vector<model::ParsedFile> parsed,
                                       const Unsaved& unsaved, EmittedHeaders& emitted) const {
  emitted.begin(parsed);
  Project project;
  project.ignored_files = sources_.ignored;
  for (const model::ParsedFile& file : parsed) {
    project.dependencies.insert(file.dependencies.begin(), file.dependencies.end());
  }

  for (const std::string& path : sources_.pages) {
    project.dependencies.insert((source_dir_ / path).string());
  }

  auto resolution = rules::check(parsed,
                                 {.name = options_.name,
                                  .source_name = source_dir_.filename().string(),
                                  .middlewares = middlewares(),
                                  .pages = read_pages(unsaved),
                                  .missing_headers = missing_headers(parsed)},
                                 emitted.code());
  project.application = std::move(resolution.application);
  project.report.files = parsed.size();
  project.report.route_files = project.application.files.size();
  for (const auto& file : project.application.files) project.report.routes += file.routes.size();
  project.report.diagnostics = std::move(resolution.diagnostics);
  project.parsed = std::move(parsed);
  return project;
}

Project ProjectReader::resolve(std::vector<model::ParsedFile> parsed, const Unsaved& unsaved,
                               TypedFiles& typed) const {
  EmittedHeaders emitted;
  Project project = resolve_as_read(parsed, unsaved, emitted);
  if (std::ranges::none_of(parsed, &model::ParsedFile::awaits_types)) return project;
  const std::set<std::string> broken = files_with_errors(project.report.diagnostics);
  bool has_unknown = false;
  bool is_complete = false;
  // Whether there was something to read: with operations that no route has if `declares_unknown`.
  const auto read = [&](bool declares_unknown) {
    std::vector<frontend::ParseJob> jobs;
    emitted.begin(project.parsed);
    const RouteFilesByHeader route_files(project.application, broken);
    has_unknown = false;
    for (std::size_t index = 0; index < parsed.size(); ++index) {
      // With the names that the last reading has found.
      const model::ParsedFile& file = project.parsed[index];
      if (!parsed[index].awaits_types) continue;
      frontend::ParseJob again = job(file.path, unsaved);
      again.types_follow = false;
      files::UnsavedFiles headers;
      for (const model::GeneratedInclude& include : file.generated_includes) {
        const model::RouteFile* routes = route_files.find(include.name);
        if (routes == nullptr || headers.contains(include.name)) continue;
        const auto& declarations = emitted.of(project.application, *routes);
        std::string& text = headers[include.name] = declarations.header;
        const std::string unknown = declares_unknown
                                        ? unknown_operations(*routes, declarations.types, file)
                                        : std::string();
        text += unknown;
        has_unknown = has_unknown || !unknown.empty();
      }
      if (!headers.empty()) {
        again.generated = std::make_shared<const files::UnsavedFiles>(std::move(headers));
      }
      const auto known = typed.find(file.path);
      const bool is_read = known != typed.end() && equal(known->second.headers, again.generated);
      if (!is_read) jobs.push_back(std::move(again));
    }
    if (jobs.empty() && is_complete) return false;
    is_complete = true;
    std::vector<model::ParsedFile> results(jobs.size());
    throw_combined(in_parallel(jobs.size(), options_.job_count(), [&](std::size_t index) {
      results[index] = parser_.parse(jobs[index]).file;
    }));
    for (std::size_t index = 0; index < jobs.size(); ++index) {
      typed[jobs[index].path] = {std::move(jobs[index].generated), std::move(results[index])};
    }
    std::vector<model::ParsedFile> complete = parsed;
    for (model::ParsedFile& file : complete) {
      if (file.awaits_types) file = with_types(file, typed.at(file.path).file);
    }
    project = resolve_as_read(std::move(complete), unsaved, emitted);
    return !jobs.empty();
  };
  // A registration that names generated types itself is only known after a reading with them, and
  // so are its own types, which another registration may name.
  constexpr int kMaxReadings = 8;
  for (int reading = 0; reading < kMaxReadings && read(true); ++reading) {
  }
  if (!has_unknown) return project;
  // What is still unknown is an error. Of the errors of Clang, those count that do not depend on
  // what is declared for it.
  const TypedFiles declared = typed;
  read(false);
  std::vector<model::ParsedFile> independent = parsed;
  for (model::ParsedFile& file : independent) {
    if (!file.awaits_types) continue;
    const model::Diagnostics& others = typed.at(file.path).file.diagnostics;
    file = with_types(file, declared.at(file.path).file);
    std::erase_if(file.diagnostics, [&](const model::Diagnostic& each) {
      return std::ranges::none_of(others, [&](const model::Diagnostic& other) {
        return each.id == other.id && each.range == other.range && each.message == other.message;
      });
    });
  }
  Project explained = resolve_as_read(std::move(independent), unsaved, emitted);
  return explained.report.ok() ? project : explained;
}

Project read_project(const ProjectOptions& options) { return ProjectReader(options).read(); }

model::Diagnostics undocumented_handlers(const Project& project, const LintOptions& lints,
                                         const fs::path& source_dir) {
  diagnostics::FileSourceText sources;
  auto handlers = rules::undocumented_handlers(
      project.application, project.parsed, [&] { return lints.settings(source_dir); }, sources);
  if (handlers.suppressed > 0) {
    print_note_once(fmt::format(
        "the document and the clients may lack what the {} of {} {}, because '{}' is suppressed",
        handlers.suppressed == 1 ? "handler" : "handlers",
        fw::base::counted(handlers.suppressed, "route"),
        handlers.suppressed == 1 ? "sends" : "send", rules::handler_does_not_compile.id));
  }
  return std::move(handlers.findings);
}

void require_handlers(Project& project, const fs::path& source_dir) {
  if (!project.report.ok()) return;
  auto& all = project.report.diagnostics;
  for (model::Diagnostic& found : undocumented_handlers(project, {}, source_dir)) {
    found.severity = model::Severity::error;
    all.push_back(std::move(found));
  }
  diagnostics::sort_diagnostics(all);
}

void add_lints(Project& project, const model::AppSettings& settings,
               diagnostics::SourceText& sources) {
  auto& all = project.report.diagnostics;
  const bool is_resolved = project.report.ok();
  if (is_resolved) {
    auto warnings = rules::lint(project.application, project.parsed, settings);
    all.insert(all.end(), warnings.begin(), warnings.end());
  }
  rules::lint_ignored_route_files(project.ignored_files, all);
  rules::lint_https_not_enabled(settings, all);
  std::vector<std::string> files;
  for (const model::ParsedFile& file : project.parsed) files.push_back(file.display_path);
  rules::apply_suppressions(all, files, sources, is_resolved);
}

}  // namespace fairway::project
