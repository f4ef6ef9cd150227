#include "frontend/parse.hpp"

#include <clang/Basic/Version.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/Utils.h>
#include <clang/Lex/LexDiagnostic.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "files/whole_file.hpp"
#include "frontend/compilers/compiler_differences.hpp"
#include "frontend/compilers/compiler_macros.hpp"
#include "frontend/compilers/condition_observer.hpp"
#include "frontend/compilers/differing_tokens.hpp"
#include "frontend/compilers/other_compiler.hpp"
#include "frontend/errors/compile_errors.hpp"
#include "frontend/errors/generated_names.hpp"
#include "frontend/errors/lost_statements.hpp"
#include "frontend/handlers/handler_bodies.hpp"
#include "frontend/invocation/clang_versions.hpp"
#include "frontend/invocation/invocation.hpp"
#include "frontend/invocation/shared_header.hpp"
#include "frontend/invocation/source_files.hpp"
#include "frontend/registrations/factory.hpp"
#include "frontend/source/file_context.hpp"
#include "frontend/source/source_words.hpp"
#include "frontend/source/token_hash.hpp"
#include "frontend/tree/type_queries.hpp"

namespace fairway::frontend {
namespace {

bool excludes_system_headers(llvm::StringRef flag) {
  return flag == "-nostdinc++" || flag == "-nostdinc" || flag == "-nostdlibinc";
}

/// Whether the flag needs headers of the system that often are not installed.
bool chooses_other_target(llvm::StringRef flag) { return flag == "-m32" || flag == "-mx32"; }

/// What `JSON_NAMES` of fairway_add_app says, as a macro of the target.
model::JsonNames json_names(clang::Preprocessor& preprocessor) {
  return preprocessor.isMacroDefined(
             preprocessor.getIdentifierInfo("FAIRWAY_JSON_NAMES_CAMEL_CASE"))
             ? model::JsonNames::camel_case
             : model::JsonNames::as_written;
}

/// The input and output of one parse.
struct Parse {
  const ParseJob& job;
  const SharedHeader* header;
  const llvm::IntrusiveRefCntPtr<SourceFiles>& sources;
  std::optional<Compiler> compiler;  ///< as which the file is read
  model::ParsedFile& file;
  std::string recovered_text = {};  ///< is read instead of the text of the file
  ErrorCollector errors = {};
  bool reached_the_end = false;
  std::string missing_header = {};
  /// Whether the shared header can replace the first include.
  bool header_fits = false;
  struct Include {
    std::string name;
    clang::CharSourceRange location;  ///< the name with its quotes
    bool is_condition = false;
  };
  std::vector<Include> generated_includes = {};
  clang::CharSourceRange framework_include = {};  ///< of the file itself
  std::vector<DifferingToken> differing_tokens = {};
  std::set<std::string> dependencies = {};  ///< absolute paths of the files of the user
  Conditions conditions = {};
  TokenHash tokens = {};
  GeneratedNames generated_names = {};
  SourceWords words = {};
  std::vector<Selection> selections = {};  ///< for a comparison
};

std::string source_path(const ParseJob& job) { return absolute(job.source_dir, job.path); }

/// The flags of one parse, with the directory of the generated headers as the last one.
CompileFlags flags_of(const ParseJob& job) {
  CompileFlags flags = job.flags;
  if (job.generated != nullptr) {
    flags.arguments.push_back("-I" + kGeneratedDirectory.str());
  }
  return flags;
}

/// The file as another compiler preprocesses it; empty if that rejects it with an `#error`.
std::optional<Preprocessing> preprocess_as(Parse& parse, const Compiler& compiler);
/// The same file as the compiler reads it.
std::optional<GccReading> read_as(const Parse& parse, const Preprocessing& preprocessing);
/// The same file with another text.
model::ParsedFile read_recovered(const Parse& parse, std::string text);

class IncludeObserver : public IncludeCallbacks {
 public:
  IncludeObserver(Parse& parse, const clang::SourceManager& sources)
      : parse_(parse), sources_(sources) {}

 private:
  /// A header of GCC.
  bool FileNotFound(llvm::StringRef name) override {
    return name.ends_with(kGeneratedSuffix) || parse_.compiler.has_value();
  }

  /// Whether it is a header that builds generate, and none that the user has written.
  static bool is_generated(llvm::StringRef name, llvm::StringRef path) {
    return name.ends_with(kGeneratedSuffix) &&
           (path.empty() || path.starts_with(kGeneratedDirectory));
  }
  void see_condition(llvm::StringRef name, clang::SourceLocation location,
                     llvm::StringRef path) override {
    if (!is_generated(name, path)) return;
    parse_.generated_includes.push_back(
        {name.str(), clang::CharSourceRange::getTokenRange(location), true});
  }
  void see_include(llvm::StringRef name, clang::CharSourceRange location,
                   llvm::StringRef path) override {
    ++includes_;
    if (is_generated(name, path)) {
      parse_.generated_includes.push_back({name.str(), location});
    } else if (is_framework_header(std::string_view(name)) &&
               sources_.isWrittenInMainFile(location.getBegin())) {
      parse_.framework_include = location;
    }
  }
  void FileSkipped(const clang::FileEntryRef& file, const clang::Token& name,
                   clang::SrcMgr::CharacteristicKind) override {
    if (includes_ == 1 || (includes_ == 2 && is_in_light_header(name.getLocation(), file))) {
      parse_.header_fits = true;
    }
  }
  /// Whether it is in the framework's <fairway/routes.hpp>, which here only includes `file`.
  bool is_in_light_header(clang::SourceLocation location, const clang::FileEntryRef& file) const {
    const auto header = sources_.getFileEntryRefForID(sources_.getFileID(location));
    return header && header->getDir() == file.getDir() && !sources_.isInMainFile(location);
  }

  Parse& parse_;
  const clang::SourceManager& sources_;
  int includes_ = 0;
};

class Consumer : public clang::ASTConsumer {
 public:
  Consumer(clang::CompilerInstance& compiler, Parse& parse) : compiler_(compiler), parse_(parse) {}

  /// Clang's messages name types without the paths of files.
  void Initialize(clang::ASTContext& ast) override {
    clang::PrintingPolicy policy = ast.getPrintingPolicy();
    policy.AnonymousTagLocations = false;
    ast.setPrintingPolicy(policy);
  }

  bool shouldSkipFunctionBody(clang::Decl* declaration) override {
    const auto& sources = compiler_.getSourceManager();
    if (sources.isInMainFile(sources.getExpansionLoc(declaration->getLocation()))) return false;
    if (!is_read_in_header(*declaration, sources)) return true;
    read_in_headers_.push_back(declaration->getAsFunction());
    return false;
  }

  void HandleTranslationUnit(clang::ASTContext& ast) override {
    parse_.reached_the_end = true;
    const auto& sources = compiler_.getSourceManager();
    parse_.missing_header = missing_system_header(
        sources, parse_.errors.errors(),
        std::ranges::any_of(parse_.job.flags.arguments, [](llvm::StringRef flag) {
          return excludes_system_headers(flag) || chooses_other_target(flag);
        }));
    if (!parse_.missing_header.empty()) return;
    FileContext context{ast,
                        compiler_.getSema(),
                        parse_.errors,
                        Locations(sources, compiler_.getLangOpts(), parse_.job.flags.directory),
                        parse_.file,
                        parse_.differing_tokens,
                        parse_.conditions.of_compiler,
                        parse_.generated_names,
                        parse_.words,
                        json_names(compiler_.getPreprocessor()),
                        std::filesystem::weakly_canonical(parse_.job.source_dir).string()};
    context.reports_handlers = parse_.job.reports_handlers;
    context.is_gcc = parse_.compiler.has_value();
    for (const clang::FunctionDecl* function : read_in_headers_) {
      const clang::Stmt* body = function->getBody();
      if (body == nullptr) continue;
      const bool has_initialisers = llvm::isa<clang::CXXConstructorDecl>(function);
      context.bodies.in_headers.emplace_back(
          has_initialisers ? function->getLocation() : body->getBeginLoc(), body->getEndLoc());
    }
    keep_includes(context);
    std::vector<GccReading> readings;
    if (!parse_.compiler && is_reading_needed(context, parse_.conditions)) {
      readings = other_readings(context);
    }
    context.lost = lost_words(context);
    read_factory(context, find_factory(context));
    auto& diagnostics = parse_.file.diagnostics;
    const bool has_condition =
        std::ranges::any_of(parse_.generated_includes, &Parse::Include::is_condition);
    if (parse_.job.types_follow && !parse_.generated_includes.empty() &&
        (has_condition || !parse_.errors.errors().empty())) {
      keep_generated_names(context, parse_.errors.errors());
      diagnostics.clear();
      context.file.awaits_types = true;
      return;
    }
    const std::size_t own = diagnostics.size();
    report_compile_errors(context, parse_.errors.errors());
    // A file that does not parse has no export, which is not reported as a second error.
    if (diagnostics.size() > own && own == 1 && diagnostics.front().range.line == 0) {
      diagnostics.erase(diagnostics.begin());
    }
    const bool has_errors = std::ranges::any_of(
        diagnostics, [](const auto& each) { return each.severity == model::Severity::error; });
    if (has_errors) return;
    compare_readings(context, parse_.conditions, readings);
    const bool is_only_reading = !parse_.compiler && readings.empty();
    if (!is_only_reading || !parse_.recovered_text.empty() || context.reports_handlers) return;
    if (auto text = without_losses(context)) {
      add_recovered(context.file, read_recovered(parse_, std::move(*text)));
    }
  }

 private:
  /// Parses what is not equal to an earlier reading.
  std::vector<GccReading> other_readings(const FileContext& context) {
    Conditions& conditions = parse_.conditions;
    std::vector<GccReading> readings;
    std::vector<Preprocessing> others;
    std::set<std::uint64_t> parsed = {parse_.tokens.value()};
    const auto read = [&](const std::vector<Compiler>& compilers) {
      for (const Compiler& compiler : compilers) {
        auto other = preprocess_as(parse_, compiler);
        if (!other) continue;
        conditions.mention_gcc_version |= other->mention_gcc_version;
        const bool may_be_parsed =
            compiler.family == Compiler::Family::gcc && !compiler.has_everything;
        other->is_parsed = parsed.contains(other->tokens);
        if (may_be_parsed && !other->is_parsed) {
          if (auto reading = read_as(parse_, *other)) {
            other->is_parsed = true;
            parsed.insert(other->tokens);
            readings.push_back(std::move(*reading));
          }
        }
        others.push_back(std::move(*other));
      }
    };
    read(other_compilers(false, false));
    if (conditions.mention_gcc_version) read(other_compilers(true, false));
    if (conditions.mention_clang_version) read(other_compilers(false, true));
    note_readings(context, conditions, parse_.tokens.value(), others);
    return readings;
  }

  void keep_includes(const FileContext& context) {
    for (const auto& [name, location, is_condition] : parse_.generated_includes) {
      const auto in_file = context.at.characters(location);
      context.file.generated_includes.push_back(
          {.name = name,
           .range = in_file ? *in_file : context.at.token(location.getBegin()),
           .in_header = !in_file,
           .is_condition = is_condition});
    }
    const clang::SourceLocation end = parse_.framework_include.getEnd();
    if (const auto after = context.at.characters(clang::CharSourceRange::getCharRange(end, end))) {
      context.file.include_end = *after;
    }
  }

  clang::CompilerInstance& compiler_;
  Parse& parse_;
  std::vector<const clang::FunctionDecl*> read_in_headers_;
};

/// Without what they declare.
void add_gcc_headers(clang::PreprocessorOptions& options) {
  for (const std::string_view name : gcc_headers()) {
    options.addRemappedFile(fmt::format("{}/include/{}", resource_directory(), name),
                            llvm::MemoryBuffer::getMemBuffer("").release());
  }
}

class Action : public clang::ASTFrontendAction {
 public:
  explicit Action(Parse& parse)
      : parse_(parse), dependencies_(std::make_shared<clang::DependencyCollector>()) {}

  /// Skips pending instantiations at the end of the file.
  clang::TranslationUnitKind getTranslationUnitKind() override { return clang::TU_Prefix; }

 private:
  bool PrepareToExecuteAction(clang::CompilerInstance& compiler) override {
    compiler.getFrontendOpts().SkipFunctionBodies = true;
    compiler.getDiagnosticOpts().ErrorLimit = 0;
    compiler.getDiagnosticOpts().ShowCarets = false;  // otherwise Clang prints a summary
    compiler.getDiagnostics().setErrorLimit(0);
    compiler.addDependencyCollector(dependencies_);
    clang::PreprocessorOptions& options = compiler.getPreprocessorOpts();
    if (parse_.header != nullptr) options.ImplicitPCHInclude = parse_.header->path;
    if (!parse_.recovered_text.empty()) {
      options.addRemappedFile(
          source_path(parse_.job),
          llvm::MemoryBuffer::getMemBufferCopy(parse_.recovered_text).release());
    }
    if (parse_.compiler && parse_.compiler->family == Compiler::Family::gcc) {
      add_gcc_headers(options);
    }
    return true;
  }

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef) override {
    clang::Preprocessor& preprocessor = compiler.getPreprocessor();
    preprocessor.addPPCallbacks(
        std::make_unique<IncludeObserver>(parse_, compiler.getSourceManager()));
    preprocessor.addPPCallbacks(observe_macros(parse_.differing_tokens, preprocessor));
    preprocessor.addPPCallbacks(observe_conditions(parse_.conditions, preprocessor));
    if (parse_.compiler) {
      preprocessor.addPPCallbacks(define_macros(preprocessor, *parse_.compiler));
    }
    preprocessor.setTokenWatcher([&](const clang::Token& token) {
      observe_token(parse_.differing_tokens, preprocessor, token);
      parse_.tokens.add(token);
      parse_.generated_names.add(preprocessor.getSourceManager(), token);
      parse_.words.add(preprocessor.getSourceManager(), token);
    });
    return std::make_unique<Consumer>(compiler, parse_);
  }

  void EndSourceFileAction() override {
    std::set<std::string>& paths = parse_.dependencies;
    auto& file_system = getCompilerInstance().getVirtualFileSystem();
    for (const std::string& path : dependencies_->getDependencies()) {
      // A generated header was not read.
      if (llvm::StringRef(path).ends_with(kGeneratedSuffix) && !file_system.exists(path)) continue;
      if (llvm::StringRef(path).starts_with(kGeneratedDirectory)) continue;
      paths.insert(absolute(parse_.job.flags.directory, path));
    }
    if (parse_.header != nullptr) {
      paths.erase(parse_.header->path);
      paths.erase(parse_.header->text);
      paths.insert(parse_.header->dependencies.begin(), parse_.header->dependencies.end());
    }
    parse_.file.dependencies.assign(paths.begin(), paths.end());
  }

  Parse& parse_;
  std::shared_ptr<clang::DependencyCollector> dependencies_;  ///< without system headers
};

/// With the precompiled header, but without a parser.
class PreprocessAction : public Action {
 public:
  explicit PreprocessAction(Parse& parse) : Action(parse), parse_(parse) {}

 private:
  void ExecuteAction() override {
    clang::Preprocessor& preprocessor = getCompilerInstance().getPreprocessor();
    preprocessor.EnterMainSourceFile();
    clang::Token token;
    do {
      preprocessor.Lex(token);
    } while (token.isNot(clang::tok::eof));
    parse_.reached_the_end = true;
    parse_.selections = selections(preprocessor.getSourceManager(), parse_.conditions);
  }

  Parse& parse_;
};

std::string readable_text(const ParseJob& job) {
  const std::string path = source_path(job);
  if (job.unsaved != nullptr) {
    if (const auto text = job.unsaved->find(path); text != job.unsaved->end()) return text->second;
  }
  errno = 0;
  if (auto text = files::read_file(path)) return std::move(*text);
  const std::string reason = errno == 0 ? "" : ": " + std::generic_category().message(errno);
  throw EnvironmentError(fmt::format("cannot read '{}'{}: make it readable, or move it out of '{}'",
                                     path, reason, job.source_dir));
}

/// Whether the header has this input, of the same kind or a stronger one.
bool covers(const SharedHeader& header, const files::Inputs::value_type& input) {
  const auto known = header.inputs.find(input.first);
  return known != header.inputs.end() && known->second.kind >= input.second.kind;
}

enum class HeaderUse { works, rejected, not_applicable };

/// What to do about a missing header of the system: about the flag that hides it, if there is one.
std::string help_for_system_header(const CompileFlags& flags) {
  for (const std::string& flag : flags.arguments) {
    const llvm::StringRef text = flag;
    if (excludes_system_headers(text)) {
      return fmt::format(
          "'{}' excludes its directory: remove the flag, or name the directory with -isystem",
          flag);
    }
    if (chooses_other_target(text)) {
      return fmt::format(
          "'{}' needs the C++ standard library for that target (Debian: g++-multilib)", flag);
    }
    if (text.starts_with("--target=") || text.starts_with("--sysroot=") ||
        text.starts_with("-stdlib=")) {
      return fmt::format("install the headers of the C++ standard library that '{}' chooses", flag);
    }
  }
  return fmt::format(
      "install the headers of Clang {0} (Debian: libclang-common-{0}-dev) and of the C++ standard "
      "library",
      CLANG_VERSION_MAJOR);
}

model::ParsedFile empty_file(const ParseJob& job) {
  model::ParsedFile file;
  file.path = job.path;
  file.display_path = shown_path("", source_path(job));
  return file;
}

bool is_rejected(const Parse& parse) {
  return !parse.reached_the_end ||
         std::ranges::any_of(parse.errors.errors(), [](const ErrorCollector::Error& error) {
           return error.message.id == clang::diag::err_pp_hash_error;
         });
}

std::optional<Preprocessing> preprocess_as(Parse& parse, const Compiler& compiler) {
  model::ParsedFile file = empty_file(parse.job);
  Parse other{.job = parse.job,
              .header = parse.header,
              .sources = parse.sources,
              .compiler = compiler,
              .file = file};
  run_clang(flags_of(parse.job), source_path(parse.job), parse.sources,
            std::make_unique<PreprocessAction>(other), other.errors);
  parse.dependencies.insert(other.dependencies.begin(), other.dependencies.end());
  if (is_rejected(other)) return std::nullopt;
  return Preprocessing{.compiler = compiler,
                       .selections = std::move(other.selections),
                       .tokens = other.tokens.value(),
                       .mention_gcc_version = other.conditions.mention_gcc_version};
}

std::optional<GccReading> read_as(const Parse& parse, const Preprocessing& preprocessing) {
  GccReading result{.file = empty_file(parse.job), .selections = preprocessing.selections};
  Parse other{.job = parse.job,
              .header = parse.header,
              .sources = parse.sources,
              .compiler = preprocessing.compiler,
              .file = result.file};
  run_clang(flags_of(parse.job), source_path(parse.job), parse.sources,
            std::make_unique<Action>(other), other.errors);
  if (is_rejected(other)) return std::nullopt;
  return result;
}

model::ParsedFile read_recovered(const Parse& parse, std::string text) {
  model::ParsedFile file = empty_file(parse.job);
  Parse other{.job = parse.job,
              .header = parse.header,
              .sources = parse.sources,
              .compiler = {},
              .file = file,
              .recovered_text = std::move(text)};
  run_clang(flags_of(parse.job), source_path(parse.job), parse.sources,
            std::make_unique<Action>(other), other.errors);
  return file;
}

/// The result is empty if the header cannot be used; never without a header.
ParseResult run_parse(const ParseJob& job, const SharedHeader* header,
                      const std::string& own_directory, HeaderUse& use) {
  const std::string source = source_path(job);
  ParseResult result;
  result.file = empty_file(job);
  model::ParsedFile& file = result.file;
  auto sources = llvm::makeIntrusiveRefCnt<SourceFiles>(job.flags.directory, own_directory,
                                                        job.unsaved.get(), job.generated.get());
  Parse parse{.job = job, .header = header, .sources = sources, .compiler = {}, .file = file};
  run_clang(flags_of(job), source, sources, std::make_unique<Action>(parse), parse.errors);
  result.inputs = sources->inputs();
  if (header != nullptr) {
    const bool works =
        parse.header_fits && parse.missing_header.empty() && parse.errors.about_flags().empty();
    use = !parse.reached_the_end ? HeaderUse::rejected
          : works                ? HeaderUse::works
                                 : HeaderUse::not_applicable;
    return result;
  }
  if (!parse.missing_header.empty()) {
    throw EnvironmentError(fmt::format("{}, a header of the system: {}", parse.missing_header,
                                       help_for_system_header(job.flags)));
  }
  if (!parse.reached_the_end || !parse.errors.about_flags().empty()) {
    throw EnvironmentError(fmt::format("clang cannot compile '{}' with these flags{}{}",
                                       file.display_path,
                                       parse.errors.about_flags().empty() ? "" : ": ",
                                       fmt::join(parse.errors.about_flags(), "; ")));
  }
  return result;
}

}  // namespace

std::string llvm_version() { return CLANG_VERSION_STRING; }

ParseResult parse_file(const ParseJob& job, SharedHeaders* headers) {
  const std::string text = readable_text(job);
  HeaderUse use = HeaderUse::not_applicable;
  if (headers == nullptr) return run_parse(job, nullptr, "", use);
  const std::string own_directory = headers->directory().string() + "/";
  const auto with = [&](const SharedHeaders::Header& header) {
    ParseResult result = run_parse(job, header.get(), own_directory, use);
    result.header = header->meaning;
    std::erase_if(result.inputs, [&](const auto& input) { return covers(*header, input); });
    return result;
  };
  if (begins_with_framework_header(text)) {
    ParseResult result;
    if (const auto header = headers->get(job.flags)) result = with(header);
    if (use == HeaderUse::rejected) {
      if (const auto header = headers->rebuild(job.flags)) result = with(header);
    }
    if (use == HeaderUse::works) return result;
  }
  return run_parse(job, nullptr, own_directory, use);
}

}  // namespace fairway::frontend
