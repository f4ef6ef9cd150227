#include "frontend/skipped_headers.hpp"

#include <clang/Basic/FileManager.h>
#include <clang/Lex/HeaderSearch.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/Token.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Support/Path.h>

#include <utility>

namespace fairway::frontend {
namespace {

/// The name in an include directive.
struct IncludedName {
  clang::SourceLocation location;
  llvm::StringRef name;
  bool is_angled = false;
};

class HeaderSearcher {
 public:
  HeaderSearcher(clang::Preprocessor& preprocessor,
                 const std::set<const clang::FileEntry*>& entered)
      : preprocessor_(preprocessor), sources_(preprocessor.getSourceManager()), seen_(entered) {}

  void search(clang::FileID file, unsigned begin, unsigned end) {
    for (const IncludedName& included : names_in(file, begin, end)) {
      const auto header = find(file, included);
      if (!header || !seen_.insert(&header->getFileEntry()).second) continue;
      const bool is_of_user =
          preprocessor_.getHeaderSearchInfo().getFileDirFlavor(*header) == clang::SrcMgr::C_User;
      if (!is_of_user) continue;
      const clang::FileID id = sources_.getOrCreateFileID(*header, clang::SrcMgr::C_User);
      found_.push_back(id);
      search(id, 0, static_cast<unsigned>(sources_.getBufferData(id).size()));
    }
  }

  std::vector<clang::FileID> take() { return std::move(found_); }

 private:
  std::vector<IncludedName> names_in(clang::FileID file, unsigned begin, unsigned end) const {
    const llvm::StringRef text = sources_.getBufferData(file);
    clang::Lexer lexer(sources_.getLocForStartOfFile(file), preprocessor_.getLangOpts(),
                       text.begin(), text.begin() + begin, text.end());
    std::vector<IncludedName> names;
    clang::Token token;
    bool is_directive = false;
    bool is_include = false;
    while (!lexer.LexFromRawLexer(token) && sources_.getFileOffset(token.getLocation()) < end) {
      if (is_include && token.is(clang::tok::string_literal)) {
        const llvm::StringRef quoted(token.getLiteralData(), token.getLength());
        names.push_back({token.getLocation(), quoted.drop_front().drop_back()});
      } else if (is_include && token.is(clang::tok::less)) {
        const llvm::StringRef rest = text.substr(sources_.getFileOffset(token.getLocation()) + 1);
        names.push_back({token.getLocation(),
                         rest.take_until([](char each) { return each == '>' || each == '\n'; }),
                         true});
      }
      is_include = is_directive && token.is(clang::tok::raw_identifier) &&
                   token.getRawIdentifier() == "include";
      is_directive = token.isAtStartOfLine() && token.is(clang::tok::hash);
    }
    return names;
  }

  /// Clang's search begins at the file that it reads, which is not the one with the directive.
  clang::OptionalFileEntryRef find(clang::FileID file, const IncludedName& included) {
    const auto from = sources_.getFileEntryRefForID(file);
    if (!included.is_angled && from) {
      llvm::SmallString<256> path = llvm::sys::path::parent_path(from->getName());
      llvm::sys::path::append(path, included.name);
      if (auto header = sources_.getFileManager().getOptionalFileRef(path)) return header;
    }
    return preprocessor_.LookupFile(included.location, included.name, included.is_angled, nullptr,
                                    nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
  }

  clang::Preprocessor& preprocessor_;
  clang::SourceManager& sources_;
  std::set<const clang::FileEntry*> seen_;
  std::vector<clang::FileID> found_;
};

}  // namespace

std::vector<clang::FileID> skipped_headers(clang::Preprocessor& preprocessor, clang::FileID file,
                                           unsigned begin, unsigned end,
                                           const std::set<const clang::FileEntry*>& entered) {
  HeaderSearcher searcher(preprocessor, entered);
  searcher.search(file, begin, end);
  return searcher.take();
}

}  // namespace fairway::frontend
