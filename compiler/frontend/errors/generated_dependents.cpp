#include "frontend/errors/generated_dependents.hpp"

#include <clang/Basic/IdentifierTable.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <optional>

#include "frontend/errors/compile_errors.hpp"
#include "frontend/errors/error_collector.hpp"
#include "frontend/errors/generated_names.hpp"

namespace fairway::frontend {
namespace {

/// The offsets of a range of the main file; empty for other ranges.
std::optional<std::pair<unsigned, unsigned>> offsets(const FileContext& context,
                                                     clang::SourceRange range) {
  const clang::SourceManager& sources = context.at.sources();
  const auto [begin_file, begin] = sources.getDecomposedExpansionLoc(range.getBegin());
  const auto [end_file, end] = sources.getDecomposedExpansionLoc(range.getEnd());
  if (begin_file != sources.getMainFileID() || end_file != begin_file) return std::nullopt;
  return std::pair(begin, end);
}

bool follows_declared(clang::tok::TokenKind kind) {
  return kind == clang::tok::l_paren || kind == clang::tok::equal || kind == clang::tok::semi ||
         kind == clang::tok::l_brace || kind == clang::tok::l_square || kind == clang::tok::comma ||
         kind == clang::tok::colon;
}

bool precedes_used(clang::tok::TokenKind kind) {
  return kind == clang::tok::period || kind == clang::tok::arrow || kind == clang::tok::coloncolon;
}

}  // namespace

GeneratedDependents::GeneratedDependents(const FileContext& context,
                                         const std::vector<clang::SourceRange>& handlers)
    : context_(context) {
  const clang::SourceManager& sources = context.at.sources();
  std::vector<unsigned> causes;
  for (const ErrorCollector::Error& error : context.errors.errors()) {
    const auto is_in = [&](clang::SourceRange handler) {
      return belongs_to(context, handler, error);
    };
    if (!names_generated_type(context, error) || std::ranges::any_of(handlers, is_in)) continue;
    const clang::SourceLocation location = error.message.location;
    if (location.isInvalid() || location.isMacroID() ||
        sources.getFileID(location) != sources.getMainFileID()) {
      are_everywhere_ = true;
      return;
    }
    causes.push_back(sources.getFileOffset(location));
  }
  if (causes.empty()) return;
  read();
  for (Statement& each : statements_) {
    const bool is_cause =
        std::ranges::any_of(causes, [&](unsigned at) { return at >= each.begin && at < each.end; });
    if (is_cause) mark(&each);
  }
  // Declarations that use these.
  std::vector<std::pair<unsigned, unsigned>> own;
  for (const clang::SourceRange handler : handlers) {
    if (const auto found = offsets(context, handler)) own.push_back(*found);
  }
  for (std::size_t known = 0; known != names_.size();) {
    known = names_.size();
    for (Statement& each : statements_) {
      const bool is_of_handler = std::ranges::any_of(own, [&](const auto& handler) {
        return each.begin >= handler.first && each.begin <= handler.second;
      });
      if (!each.depends && !is_of_handler && has_name(each.begin, each.end)) mark(&each);
    }
  }
}

/// Splits the file into statements, and finds what each declares outside of parentheses.
void GeneratedDependents::read() {
  const clang::SourceManager& sources = context_.at.sources();
  const clang::FileID file = sources.getMainFileID();
  clang::Lexer lexer(file, sources.getBufferOrFake(file), sources, context_.at.language());
  std::vector<int> around;  // of each open brace
  Statement current;
  int depth = 0;           // of parentheses
  bool is_import = false;  // `using a::b;`
  bool is_value = false;   // after `return` or `=`
  int angles = 0;          // of the parameters after `template`
  bool is_template = false;
  std::string last;
  clang::tok::TokenKind before_last = clang::tok::unknown;
  clang::tok::TokenKind before = clang::tok::unknown;
  const auto finish = [&](unsigned end) {
    current.end = end;
    current.around = around.empty() ? -1 : around.back();
    statements_.push_back(std::move(current));
    current = {.begin = end};
    depth = 0;
    angles = 0;
    is_template = false;
    is_import = false;
    is_value = false;
  };
  for (clang::Token token; !lexer.LexFromRawLexer(token);) {
    const unsigned offset = sources.getFileOffset(token.getLocation());
    const clang::tok::TokenKind kind = token.getKind();
    if (!last.empty() && depth == 0 && angles == 0 && !is_value && follows_declared(kind) &&
        (!precedes_used(before_last) || (is_import && kind == clang::tok::semi))) {
      current.declared.push_back(last);
    }
    last.clear();
    if (kind == clang::tok::raw_identifier) {
      const llvm::StringRef name = token.getRawIdentifier();
      if (name == "using") is_import = true;
      if (name == "return" || name == "throw") is_value = true;
      if (name == "template") is_template = true;
      const bool is_name = context_.ast.Idents.get(name).getTokenID() == clang::tok::identifier;
      if (is_name) {
        last = name.str();
        before_last = before;
        words_.push_back({offset, last});
      }
    }
    if (depth == 0 && (is_template || angles > 0)) {
      if (kind == clang::tok::less) ++angles;
      if (kind == clang::tok::greater || kind == clang::tok::greatergreater) {
        angles = std::max(0, angles - (kind == clang::tok::greater ? 1 : 2));
      }
      if (angles > 0) is_template = false;
    }
    if (kind == clang::tok::equal && angles == 0) {
      is_import = false;
      is_value = is_value || depth == 0;
    }
    if (kind == clang::tok::l_paren) ++depth;
    if (kind == clang::tok::r_paren && depth > 0) --depth;
    if (kind == clang::tok::l_brace) {
      finish(offset);
      around.push_back(static_cast<int>(statements_.size()) - 1);
    } else if (kind == clang::tok::r_brace) {
      finish(offset);
      if (!around.empty()) around.pop_back();
    } else if (kind == clang::tok::semi) {
      finish(offset);
    }
    before = kind;
  }
  finish(sources.getFileIDSize(file));
}

/// What the statement declares depends, and so does what contains it.
void GeneratedDependents::mark(const Statement* statement) {
  while (statement != nullptr) {
    Statement& own = statements_[static_cast<std::size_t>(statement - statements_.data())];
    own.depends = true;
    names_.insert(own.declared.begin(), own.declared.end());
    statement = own.around < 0 ? nullptr : &statements_[static_cast<std::size_t>(own.around)];
  }
}

bool GeneratedDependents::has_name(unsigned begin, unsigned end) const {
  const auto first = std::ranges::lower_bound(words_, begin, {}, &Word::offset);
  return std::any_of(first, std::ranges::upper_bound(words_, end, {}, &Word::offset),
                     [&](const Word& word) { return names_.contains(word.text); });
}

bool GeneratedDependents::are_in(clang::SourceRange range) const {
  if (are_everywhere_) return true;
  if (statements_.empty()) return false;
  const auto found = offsets(context_, range);
  return !found || has_name(found->first, found->second);
}

}  // namespace fairway::frontend
