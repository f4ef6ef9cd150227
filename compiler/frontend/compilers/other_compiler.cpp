#include "frontend/compilers/other_compiler.hpp"

#include <fmt/format.h>
#include <llvm/Support/MemoryBuffer.h>

#include <string>
#include <utility>

#include "frontend/compilers/compiler_macros.hpp"
#include "frontend/invocation/clang_versions.hpp"

namespace fairway::frontend {
namespace {

/// What GCC 12 has of these is not known here.
constexpr const char* kFeatureQueries[] = {"__has_builtin", "__has_attribute",
                                           "__has_cpp_attribute"};

/// Directives that define the macros of a compiler, and directives that restore Clang's.
struct Directives {
  std::string define;
  std::string restore;

  void replace(std::string_view name, std::string_view definition) {
    remove(name);
    define += fmt::format("#define {}{}\n", name, definition);
  }
  /// `__FLT32_MAX__`, `__DEC64_MIN__`: conditions only ask whether there is such a type.
  void add_limits() {
    for (const char* type :
         {"FLT32", "FLT64", "FLT128", "FLT32X", "FLT64X", "DEC32", "DEC64", "DEC128"}) {
      for (const char* limit : {"MANT_DIG", "MAX", "MIN", "EPSILON", "MAX_EXP", "MIN_EXP"}) {
        replace(fmt::format("__{}_{}__", type, limit), " 1");
      }
    }
  }
  void remove(std::string_view name) {
    define += fmt::format("#pragma push_macro(\"{0}\")\n#undef {0}\n", name);
    restore += fmt::format("#pragma pop_macro(\"{}\")\n", name);
  }
};

Directives directives_for(const Compiler& compiler, const clang::LangOptions& language) {
  Directives result;
  if (compiler.family == Compiler::Family::clang) {
    result.replace("__clang_major__", fmt::format(" {}", compiler.version));
    result.replace("__clang_minor__", " 0");
    result.replace("__clang_patchlevel__", " 0");
    return result;
  }
  // The others have the features of Clang.
  const bool is_oldest = compiler.version == kOldestGcc;
  for (const std::string_view name : clang_macros()) {
    if (is_oldest || !name.starts_with("__cpp_")) result.remove(name);
  }
  for (const PredefinedMacro& macro : gcc_macros()) {
    if (is_oldest || !macro.name.starts_with("__cpp_")) {
      result.replace(macro.name, macro.definition);
    }
  }
  result.add_limits();
  result.remove("FAIRWAY_ROUTE_COMPILER");
  if (!is_oldest) {
    result.replace("__GNUC__", fmt::format(" {}", compiler.version));
    result.replace("__GNUG__", fmt::format(" {}", compiler.version));
    result.replace("__OPTIMIZE__", " 1");
    result.remove("__NO_INLINE__");
    if (!compiler.has_everything) return result;
    for (const char* name : kFeatureQueries) result.replace(name, "(name) 999999L");
    return result;
  }
  for (const char* name : {"__has_feature", "__has_extension", "__has_warning", "__is_identifier",
                           "__has_constexpr_builtin", "__has_declspec_attribute"}) {
    result.remove(name);
  }
  for (const char* name : kFeatureQueries) result.replace(name, "(name) 0");
  if (is_cpp23(language)) result.replace("__cplusplus", " 202100L");
  return result;
}

class MacroSwitch : public clang::PPCallbacks {
 public:
  MacroSwitch(clang::Preprocessor& preprocessor, const Compiler& compiler)
      : preprocessor_(preprocessor),
        sources_(preprocessor.getSourceManager()),
        directives_(directives_for(compiler, preprocessor.getLangOpts())) {}

 private:
  void FileChanged(clang::SourceLocation location, FileChangeReason reason,
                   clang::SrcMgr::CharacteristicKind, clang::FileID) override {
    if (reason != EnterFile && reason != ExitFile) return;
    const clang::FileID file = sources_.getFileID(location);
    if (sources_.getFileEntryForID(file) == nullptr) return;  // the predefined macros, or our own
    const bool is_own = is_in_file_of_user(sources_, location);
    if (is_own == is_defined_) return;
    is_defined_ = is_own;
    // It is read before the rest of the file.
    auto text = llvm::MemoryBuffer::getMemBufferCopy(
        is_own ? directives_.define : directives_.restore, "<macros of the compiler>");
    preprocessor_.EnterSourceFile(
        sources_.createFileID(std::move(text), clang::SrcMgr::C_System, 0, 0, location), nullptr,
        location);
  }

  clang::Preprocessor& preprocessor_;
  clang::SourceManager& sources_;
  Directives directives_;
  bool is_defined_ = false;
};

}  // namespace

bool is_in_file_of_user(const clang::SourceManager& sources, clang::SourceLocation location) {
  return !sources.isInSystemHeader(location) &&
         !sources.getFilename(location).contains("include/fairway/");
}

std::unique_ptr<clang::PPCallbacks> define_macros(clang::Preprocessor& preprocessor,
                                                  const Compiler& compiler) {
  return std::make_unique<MacroSwitch>(preprocessor, compiler);
}

}  // namespace fairway::frontend
