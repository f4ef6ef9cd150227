#include "cli/edited_application.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include "diagnostics/report.hpp"
#include "files/input.hpp"
#include "frontend/parse.hpp"
#include "project/installation.hpp"
#include "resolve/route_files.hpp"

namespace fairway::cli {
namespace {

namespace fs = std::filesystem;

using files::Input;
using files::Inputs;
using files::is_generated_header;
using files::UnsavedFiles;

/// Adds files that were read, and negative lookups, by their normalized paths.
void add_normalized(Inputs& normalized, const Inputs& inputs) {
  for (const auto& [path, input] : inputs) {
    if (input.kind != Input::Kind::missing && input.kind != Input::Kind::read) continue;
    Input& known = normalized[fs::path(path).lexically_normal().string()];
    if (input.kind >= known.kind) known = input;
  }
}

/// The paths whose texts differ, or that only one of the two has.
std::set<std::string> differences(const UnsavedFiles& before, const UnsavedFiles& now) {
  UnsavedFiles changes;
  std::ranges::set_symmetric_difference(before, now, std::inserter(changes, changes.end()));
  std::set<std::string> paths;
  for (const auto& [path, text] : changes) paths.insert(path);
  return paths;
}

bool have_equal_paths(const UnsavedFiles& before, const UnsavedFiles& now) {
  return std::ranges::equal(before, now, {}, &UnsavedFiles::value_type::first,
                            &UnsavedFiles::value_type::first);
}

}  // namespace

lsp::Snapshot EditedApplication::read(const lsp::OpenFiles& open, bool disk_has_changed) {
  try {
    if (disk_has_changed || !reader_ || disk_differs(open)) {
      read_settings();
      read_disk();
    }
    return read_with(with_links(open.unsaved));
  } catch (const UserError& error) {
    reader_.reset();  // everything is read again next time
    std::error_code ignored;
    if (fs::is_directory(project_.source_dir / "routes", ignored)) throw;
    throw lsp::NoApplication(error.what());
  }
}

lsp::Snapshot EditedApplication::read_with(const Unsaved& unsaved) {
  parse_changes(unsaved);
  std::vector<model::ParsedFile> parsed;
  for (const auto& [path, each] : parsed_) parsed.push_back(each.file);
  project::Project project = reader_->resolve(std::move(parsed), unsaved, typed_);
  lsp::EditedSourceText sources(unsaved);
  const project::CheckedSettings checked = project::check_settings_files(
      lints_.app_config, project_.source_dir, reader_->known_middlewares(), unsaved.get());
  model::AppSettings settings = document_options_.settings;
  settings.listed_middlewares = checked.listed_middlewares;
  project::add_lints(project, settings, sources);
  auto& found = project.report.diagnostics;
  found.insert(found.end(), checked.diagnostics.begin(), checked.diagnostics.end());
  settings_.apply(found);
  diagnostics::sort_diagnostics(found);
  auto read = inputs(project);
  for (const fs::path& file : checked.files) {
    std::error_code error;
    read.insert(file.string());
    read.insert(fs::weakly_canonical(file, error).string());
  }
  return {.application = std::move(project.application),
          .files = std::move(project.parsed),
          .diagnostics = std::move(project.report.diagnostics),
          .inputs = std::move(read),
          .source_dir = reader_->source_dir(),
          .middlewares = middlewares(),
          .document_options = document_options_,
          .unsaved = unsaved,
          .diagnostics_page = project::diagnostics_page(),
          .warning = settings_error_};
}

void EditedApplication::read_settings() {
  settings_error_.clear();
  try {
    settings_ = lints_.settings(project_.source_dir);
    document_options_ = lints_.document_options();
  } catch (const UserError& error) {
    settings_error_ = error.what();
  }
}

void EditedApplication::read_disk() {
  parsed_.clear();
  typed_.clear();
  on_disk_.clear();
  unsaved_ = nullptr;
  seen_paths_.clear();
  links_.clear();
  reader_.emplace(project_);
  parse(reader_->files(), nullptr);
  for (const auto& [path, each] : parsed_) add_normalized(on_disk_, each.inputs);
  for (const std::string& page : reader_->sources().pages) {
    find_links((reader_->source_dir() / page).string());
  }
}

bool EditedApplication::disk_differs(const lsp::OpenFiles& open) const {
  return std::ranges::any_of(open.saved, [&](const auto& saved) {
    const auto known = on_disk_.find(saved.first);
    if (known == on_disk_.end()) return unsaved_ != nullptr && unsaved_->contains(saved.first);
    if (known->second.kind == Input::Kind::missing) return !is_generated_header(saved.first);
    return known->second.content != saved.second;
  });
}

void EditedApplication::parse_changes(const Unsaved& unsaved) {
  const UnsavedFiles none;
  const UnsavedFiles& before = unsaved_ == nullptr ? none : *unsaved_;
  const UnsavedFiles& now = unsaved == nullptr ? none : *unsaved;
  if (!have_equal_paths(before, now)) {
    reader_->find_files(unsaved);
    const std::vector<std::string>& files = reader_->files();
    std::erase_if(parsed_, [&](const auto& entry) {
      return !std::ranges::binary_search(files, entry.first);
    });
  }
  const std::set<std::string> changes = differences(before, now);
  std::vector<std::string> paths;
  for (const std::string& path : reader_->files()) {
    const auto parsed = parsed_.find(path);
    const bool is_outdated =
        parsed == parsed_.end() || std::ranges::any_of(changes, [&](const std::string& changed) {
          return depends(parsed->second, changed);
        });
    if (is_outdated) paths.push_back(path);
  }
  parse(paths, unsaved);
  unsaved_ = unsaved;
}

bool EditedApplication::depends(const Parsed& parsed, const std::string& changed) const {
  if ((reader_->source_dir() / parsed.file.path).string() == changed ||
      parsed.inputs.contains(changed) ||
      std::ranges::binary_search(parsed.file.dependencies, changed)) {
    return true;
  }
  // A file in a folder that does not exist is looked for no further than the folder.
  const auto is_missing = [&](const fs::path& folder) {
    const auto input = parsed.inputs.find(folder.string());
    return input != parsed.inputs.end() && input->second.kind == Input::Kind::missing;
  };
  for (fs::path folder = fs::path(changed).parent_path(); folder != folder.parent_path();
       folder = folder.parent_path()) {
    if (is_missing(folder)) return true;
  }
  return false;
}

void EditedApplication::parse(const std::vector<std::string>& paths, const Unsaved& unsaved) {
  std::vector<frontend::ParseResult> results = reader_->parse(paths, unsaved);
  for (std::size_t index = 0; index < paths.size(); ++index) {
    typed_.erase(paths[index]);
    Parsed& parsed = parsed_[paths[index]];
    parsed.file = std::move(results[index].file);
    parsed.inputs.clear();
    add_normalized(parsed.inputs, results[index].inputs);
    find_links((reader_->source_dir() / paths[index]).string());
    for (const std::string& path : parsed.file.dependencies) find_links(path);
  }
}

void EditedApplication::find_links(const std::string& path) {
  if (!seen_paths_.insert(path).second) return;
  std::error_code error;
  std::string real = fs::weakly_canonical(path, error).string();
  if (!error && real != path) links_.emplace(std::move(real), path);
}

EditedApplication::Unsaved EditedApplication::with_links(const Unsaved& unsaved) const {
  if (unsaved == nullptr || links_.empty()) return unsaved;
  auto all = std::make_shared<UnsavedFiles>(*unsaved);
  for (const auto& [path, text] : *unsaved) {
    const auto [begin, end] = links_.equal_range(path);
    for (auto link = begin; link != end; ++link) all->emplace(link->second, text);
  }
  return all;
}

std::set<std::string> EditedApplication::inputs(const project::Project& project) const {
  std::set<std::string> paths = project.dependencies;
  for (const std::string& path : reader_->files()) {
    paths.insert((reader_->source_dir() / path).string());
  }
  for (const std::string& path : project.ignored_files) {
    paths.insert(fs::absolute(path).lexically_normal().string());
  }
  for (const auto& [real, path] : links_) {
    if (paths.contains(path)) paths.insert(real);
  }
  return paths;
}

std::vector<std::string> EditedApplication::middlewares() const {
  const std::vector<std::string> registered = reader_->middlewares();
  std::set<std::string> names(registered.begin(), registered.end());
  for (const auto& [path, parsed] : parsed_) {
    if (resolve::role_of(path) == resolve::FileRole::middleware)
      names.insert(resolve::component_name(path));
  }
  return {names.begin(), names.end()};
}

}  // namespace fairway::cli
