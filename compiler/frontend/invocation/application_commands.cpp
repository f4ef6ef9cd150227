#include "frontend/invocation/application_commands.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <utility>

namespace fairway::frontend {
namespace {

namespace fs = std::filesystem;
namespace tooling = clang::tooling;

/// Undoes the mangling of fairway_add_app: '_' and two hexadecimal digits encode one character.
std::string unmangled(std::string_view mangled) {
  std::string path;
  for (std::size_t index = 0; index < mangled.size(); ++index) {
    unsigned code = 0;
    const char* const digits = mangled.data() + index + 1;
    if (mangled[index] == '_' && index + 2 < mangled.size() &&
        std::from_chars(digits, digits + 2, code, 16).ptr == digits + 2) {
      path += static_cast<char>(code);
      index += 2;
    } else {
      path += mangled[index];
    }
  }
  return path;
}

/// Sets the name and the source directory from the name of the export, which is NAME_PATH or PATH,
/// with the path of the file below the source directory.
bool read_export(std::string_view exported, const std::string& file, DatabaseApplication& result) {
  for (std::size_t begin = 0; begin != std::string_view::npos;) {
    const std::string path = '/' + unmangled(exported.substr(begin));
    if (file.ends_with(path)) {
      result.name = exported.substr(0, begin == 0 ? 0 : begin - 1);
      result.source_dir = file.substr(0, file.size() - path.size());
      return true;
    }
    begin = exported.find('_', begin);
    if (begin != std::string_view::npos) ++begin;
  }
  return false;
}

/// Sets the target and the directory of the generated files from the object file: 'server' and
/// 'api/fairway/server' of 'api/CMakeFiles/server.dir/src/routes/users.cpp.o'.
void read_object_file(const tooling::CompileCommand& command, DatabaseApplication& result) {
  const auto& line = command.CommandLine;
  const auto option = std::find(line.begin(), line.end(), "-o");
  if (option == line.end() || option + 1 == line.end()) return;
  fs::path folder = command.Directory;
  bool is_next = false;
  for (const fs::path& part : fs::path(option[1])) {
    if (is_next && part.extension() == ".dir") {
      result.target = part.stem().string();
      const fs::path output = folder.parent_path() / "fairway" / result.target / result.name;
      result.output_dir = output.lexically_normal().string();
      return;
    }
    is_next = part == "CMakeFiles";
    folder /= part;
  }
}

class ApplicationDatabase : public tooling::CompilationDatabase {
 public:
  ApplicationDatabase(std::unique_ptr<tooling::CompilationDatabase> all,
                      DatabaseApplication application)
      : all_(std::move(all)), application_(std::move(application)) {}

  std::vector<tooling::CompileCommand> getCompileCommands(llvm::StringRef file) const override {
    return own(all_->getCompileCommands(file));
  }
  std::vector<tooling::CompileCommand> getAllCompileCommands() const override {
    return own(all_->getAllCompileCommands());
  }
  std::vector<std::string> getAllFiles() const override {
    std::vector<std::string> files;
    for (const auto& command : getAllCompileCommands()) {
      files.push_back((fs::path(command.Directory) / command.Filename).lexically_normal().string());
    }
    std::ranges::sort(files);
    files.erase(std::unique(files.begin(), files.end()), files.end());
    return files;
  }

 private:
  std::vector<tooling::CompileCommand> own(std::vector<tooling::CompileCommand> commands) const {
    std::erase_if(commands, [&](const auto& each) { return application_of(each) != application_; });
    return commands;
  }

  std::unique_ptr<tooling::CompilationDatabase> all_;
  DatabaseApplication application_;
};

}  // namespace

std::optional<DatabaseApplication> application_of(const tooling::CompileCommand& command) {
  constexpr std::string_view kDefinition = "-Dfairway_default_export=fairway_export_";
  const auto definition = std::ranges::find_if(
      command.CommandLine,
      [&](const std::string& argument) { return argument.starts_with(kDefinition); });
  if (definition == command.CommandLine.end()) return std::nullopt;
  const std::string file =
      (fs::path(command.Directory) / command.Filename).lexically_normal().string();
  DatabaseApplication application;
  if (!read_export(std::string_view(*definition).substr(kDefinition.size()), file, application)) {
    return std::nullopt;
  }
  read_object_file(command, application);
  return application;
}

std::vector<DatabaseApplication> applications_of(const tooling::CompilationDatabase& database) {
  std::vector<DatabaseApplication> applications;
  for (const auto& command : database.getAllCompileCommands()) {
    const auto application = application_of(command);
    if (application && std::ranges::find(applications, *application) == applications.end()) {
      applications.push_back(*application);
    }
  }
  return applications;
}

std::unique_ptr<tooling::CompilationDatabase> commands_for(
    std::unique_ptr<tooling::CompilationDatabase> database,
    const DatabaseApplication& application) {
  return tooling::inferMissingCompileCommands(
      std::make_unique<ApplicationDatabase>(std::move(database), application));
}

}  // namespace fairway::frontend
