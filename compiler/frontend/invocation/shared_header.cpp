#include "frontend/invocation/shared_header.hpp"

#include <clang/Basic/Version.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Frontend/Utils.h>
#include <clang/Lex/Preprocessor.h>
#include <fmt/format.h>

#include <exception>
#include <random>
#include <utility>

#include "files/whole_file.hpp"
#include "frontend/invocation/invocation.hpp"

namespace fairway::frontend {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kText = "#include <fairway/fairway.hpp>\n";

class MakeHeader : public clang::GeneratePCHAction {
 public:
  MakeHeader(std::string output, bool& succeeded, std::shared_ptr<clang::DependencyCollector> users)
      : output_(std::move(output)), succeeded_(succeeded), users_(std::move(users)) {}

 private:
  bool PrepareToExecuteAction(clang::CompilerInstance& compiler) override {
    compiler.getFrontendOpts().SkipFunctionBodies = true;
    compiler.getFrontendOpts().OutputFile = output_;
    compiler.getLangOpts().PCHInstantiateTemplates = true;
    compiler.getDiagnosticOpts().ShowCarets = false;  // otherwise Clang prints a summary
    compiler.addDependencyCollector(users_);
    return true;
  }
  void EndSourceFileAction() override {
    succeeded_ = !getCompilerInstance().getDiagnostics().hasErrorOccurred();
    clang::GeneratePCHAction::EndSourceFileAction();
  }

  std::string output_;
  bool& succeeded_;
  std::shared_ptr<clang::DependencyCollector> users_;
};

/// A name for the header from everything that it depends on except its inputs.
std::string key_of(const CompileFlags& flags) {
  files::ArchiveWriter writer;
  writer(command_line(flags, ""), flags.directory, clang::getClangFullVersion(),
         include_environment());
  return fmt::format("{:016x}", files::content_hash(writer.bytes()));
}

/// Returns whether it succeeded, and sets the inputs of the header.
bool precompile(const CompileFlags& flags, const std::string& own_directory, const fs::path& output,
                SharedHeader& header) {
  bool succeeded = false;
  auto users = std::make_shared<clang::DependencyCollector>();
  auto sources = llvm::makeIntrusiveRefCnt<SourceFiles>(flags.directory, own_directory);
  clang::IgnoringDiagConsumer silent;
  run_clang(flags, header.text, sources,
            std::make_unique<MakeHeader>(output.string(), succeeded, users), silent);
  for (const std::string& path : users->getDependencies()) {
    std::string name = absolute(flags.directory, path);
    if (name != header.text) header.dependencies.push_back(std::move(name));
  }
  header.inputs = sources->inputs();
  header.meaning = files::content_hash(header.inputs);
  return succeeded;
}

std::string_view after_blanks_and_comments(std::string_view text) {
  while (!text.empty()) {
    const std::size_t blanks = std::min(text.find_first_not_of(" \t\r\n\v\f"), text.size());
    text.remove_prefix(blanks);
    std::string_view end;
    if (text.starts_with("//")) {
      end = "\n";
    } else if (text.starts_with("/*")) {
      end = "*/";
    } else {
      break;
    }
    const std::size_t at = text.find(end, 2);
    if (at == std::string_view::npos) return {};
    text.remove_prefix(at + end.size());
  }
  return text;
}

}  // namespace

bool is_framework_header(std::string_view name) {
  return name == "fairway/fairway.hpp" || name == "fairway/routes.hpp";
}

bool begins_with_framework_header(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  text = after_blanks_and_comments(text);
  for (const std::string_view word : {"#", "include"}) {
    if (!text.starts_with(word)) return false;
    text.remove_prefix(word.size());
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  }
  if (!text.starts_with('<') && !text.starts_with('"')) return false;
  const char end = text.front() == '<' ? '>' : '"';
  const std::string_view name = text.substr(1, text.find(end, 1) - 1);
  return is_framework_header(name) && text.substr(name.size() + 1).starts_with(end);
}

SharedHeaders::Slot& SharedHeaders::slot(const std::string& key) {
  const std::lock_guard lock(mutex_);
  return slots_[key];
}

const SharedHeaders::Known& SharedHeaders::look_up(Slot& slot, const std::string& key) {
  std::call_once(slot.looked_up, [&] { slot.known = load(key); });
  return slot.known;
}

SharedHeaders::Header SharedHeaders::known(const CompileFlags& flags) {
  const std::string key = key_of(flags);
  Slot& entry = slot(key);
  {
    const std::lock_guard lock(mutex_);
    if (entry.latest != nullptr) return entry.latest;
  }
  const Known& known = look_up(entry, key);
  return known.freshness == files::Freshness::changed ? nullptr : known.header;
}

SharedHeaders::Header SharedHeaders::get(const CompileFlags& flags) {
  const std::string key = key_of(flags);
  Slot& entry = slot(key);
  const Known& known = look_up(entry, key);
  std::call_once(entry.made, [&] {
    std::error_code error;
    // Clang rejects it if a time stamp differs.
    const bool usable =
        known.freshness != files::Freshness::changed && fs::exists(known.header->path, error);
    if (usable) {
      cache_.mark_used(known.header->path);
      entry.usable = known.header;
    } else {
      entry.usable = make(flags, key, entry);
    }
  });
  return entry.usable;
}

SharedHeaders::Header SharedHeaders::rebuild(const CompileFlags& flags) {
  const std::string key = key_of(flags);
  Slot& entry = slot(key);
  std::call_once(entry.rebuilt_once, [&] { entry.rebuilt = make(flags, key, entry); });
  return entry.rebuilt;
}

SharedHeaders::Known SharedHeaders::load(const std::string& key) {
  const auto bytes = cache_.load(key + ".inputs");
  if (!bytes) return {};
  auto header = std::make_shared<SharedHeader>();
  try {
    files::ArchiveReader reader(*bytes);
    reader(*header);
    reader.finish();
  } catch (const files::BadArchive&) {
    return {};
  }
  const files::Freshness freshness = checker_.check(header->inputs);
  // Stores the current time stamps, so that the next run need not read the files.
  if (freshness == files::Freshness::same_content) store(key, *header);
  return {std::move(header), freshness};
}

void SharedHeaders::store(const std::string& key, const SharedHeader& header) const {
  files::ArchiveWriter writer;
  writer(header);
  cache_.store(key + ".inputs", writer.bytes());
}

SharedHeaders::Header SharedHeaders::make(const CompileFlags& flags, const std::string& key,
                                          Slot& slot) {
  Header header = make_files(flags, key);
  const std::lock_guard lock(mutex_);
  slot.latest = header;
  return header;
}

/// The name depends on the inputs, so that processes that build it at the same time from different
/// versions of the headers do not mix them up.
SharedHeaders::Header SharedHeaders::make_files(const CompileFlags& flags, const std::string& key) {
  auto header = std::make_shared<SharedHeader>();
  header->text = (directory() / "text" / "shared_header.hpp").string();
  // Containers that share the folder may have equal process ids.
  std::random_device random;
  const fs::path unnamed =
      directory() / fmt::format("{}.{:08x}{:08x}.tmp", key, random(), random());
  std::error_code error;
  try {
    if (files::read_file(header->text) != kText) files::replace_file(header->text, kText);
    if (!precompile(flags, directory().string() + "/", unnamed, *header)) return nullptr;
    files::ArchiveWriter inputs;
    inputs(header->inputs);
    header->path =
        (directory() / fmt::format("{}-{:016x}.pch", key, files::content_hash(inputs.bytes())))
            .string();
    fs::rename(unnamed, header->path);
    store(key, *header);
  } catch (const std::exception&) {
    fs::remove(unnamed, error);
    return nullptr;  // the directory is not writable, or the disk is full: parse without a shared
                     // header
  }
  for (const auto& entry : fs::directory_iterator(directory(), error)) {
    const std::string name = entry.path().filename().string();
    const bool older = name.starts_with(key + "-") && entry.path() != header->path;
    if (older) fs::remove(entry.path(), error);
  }
  cache_.remove_unused();
  return header;
}

}  // namespace fairway::frontend
