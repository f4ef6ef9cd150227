// Finds uses of the types that `fairway build` generates. The generated headers are empty here, so
// Clang reports each of these names at its first word.
#pragma once

#include <clang/Basic/IdentifierTable.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Token.h>

#include <array>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "frontend/errors/error_collector.hpp"
#include "frontend/source/file_context.hpp"
#include "model/parsed_file.hpp"

namespace fairway::frontend {

/// All qualified names of the user's files after the first `routes`, with what macros expand to,
/// and the namespaces and types of `routes` that have another name there. Such a name counts from
/// its declaration to the end of the file, whatever its scope is.
class GeneratedNames {
 public:
  /// Gets all tokens in order.
  void add(const clang::SourceManager& sources, const clang::Token& token);
  /// Whether a name begins at `location`.
  bool begins_at(clang::SourceLocation location) const { return names_.contains(location); }
  /// The meanings of the name that contains `location`. Only `is_assumed` ones may be wrong.
  std::vector<model::GeneratedName> at(const Locations& locations,
                                       clang::SourceLocation location) const;

 private:
  using Parts = std::vector<std::string>;
  struct Meaning {
    Parts parts;
    bool is_assumed = false;
    bool is_alias = false;
  };
  struct Name {
    Parts parts;
    clang::SourceLocation begin;
    clang::SourceLocation end;
    bool in_valid = false;
    model::NameUse use = model::NameUse::any;
    std::vector<Meaning> meanings = {};
  };

  /// A word or a punctuator.
  struct Word {
    clang::tok::TokenKind kind = clang::tok::unknown;
    const clang::IdentifierInfo* name = nullptr;
    llvm::StringRef text() const;
  };
  using Words = std::array<Word, 6>;  ///< the last one first

  static bool end_in(const Words& words, std::initializer_list<llvm::StringRef> texts);
  void remember(const Word& word);
  void finish(bool is_statement);
  std::vector<Meaning> meanings_of(const Parts& parts) const;

  bool has_begun_ = false;
  bool is_open_ = false;       ///< whether the next token may belong to `current_`
  bool expects_word_ = false;  ///< after `::`
  Name current_;
  Word last_;                    ///< of `current_`
  Words before_;                 ///< the words before `current_`
  Words words_;                  ///< before the next token
  std::vector<Meaning> opened_;  ///< by using-directives
  std::map<std::string, std::vector<Meaning>, std::less<>> aliases_;
  std::map<clang::SourceLocation, Name> names_;
};

/// The generated names that may cause the error; empty if none does.
std::vector<model::GeneratedName> generated_names(const FileContext& context,
                                                  const ErrorCollector::Error& error);

/// Whether one of them certainly does.
bool names_generated_type(const FileContext& context, const ErrorCollector::Error& error);

}  // namespace fairway::frontend
