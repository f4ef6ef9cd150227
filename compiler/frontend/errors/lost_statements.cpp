#include "frontend/errors/lost_statements.hpp"

#include <clang/AST/RecursiveASTVisitor.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "frontend/errors/error_collector.hpp"
#include "frontend/source/source_tokens.hpp"
#include "frontend/source/source_words.hpp"
#include "frontend/tree/type_queries.hpp"

namespace fairway::frontend {
namespace {

bool is_response(clang::QualType type) {
  const clang::QualType named = type->isPointerType() ? type->getPointeeType() : type;
  return qualified_type_name(named) == "fw::Response";
}

/// Whether a variable of this type may send a response.
bool may_send(clang::QualType type) {
  // In a generic lambda, the type is not known.
  if (is_response(type) || (type->isReferenceType() && type->isDependentType())) return true;
  const clang::CXXRecordDecl* record = record_of(type);
  if (record == nullptr || !record->hasDefinition()) return false;
  const bool is_lambda = record->isLambda();
  if (is_lambda && record->getLambdaCaptureDefault() != clang::LCD_None) return true;
  return std::ranges::any_of(record->getDefinition()->fields(), [&](const auto* field) {
    const clang::QualType captured = field->getType();
    return is_response(captured) ||
           (is_lambda && (captured->isDependentType() || may_send(captured.getNonReferenceType())));
  });
}

/// Collects which words of the main file are in Clang's tree, and what their names mean.
class KeptFinder : public clang::RecursiveASTVisitor<KeptFinder> {
 public:
  explicit KeptFinder(const FileContext& context) {
    // Declarations of a precompiled header are left out.
    for (clang::Decl* declaration : context.ast.getTranslationUnitDecl()->noload_decls()) {
      if (context.at.in_main_file(declaration->getLocation())) TraverseDecl(declaration);
    }
  }

  bool VisitStmt(clang::Stmt* node) {
    const auto* broken = llvm::dyn_cast<clang::RecoveryExpr>(node);
    if (broken != nullptr && broken->subExpressions().empty()) {
      broken_.insert(node->getBeginLoc());
      return true;
    }
    keep(node->getBeginLoc());
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(node)) {
      keep(member->getMemberLoc());
    } else if (const auto* dependent = llvm::dyn_cast<clang::CXXDependentScopeMemberExpr>(node)) {
      keep(dependent->getMemberLoc());
    } else if (const auto* overloads = llvm::dyn_cast<clang::OverloadExpr>(node)) {
      keep(overloads->getNameLoc());
    } else if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(node)) {
      keep(reference->getLocation());
    }
    return true;
  }
  bool VisitLambdaExpr(clang::LambdaExpr* node) {
    for (const clang::LambdaCapture& capture : node->captures()) keep(capture.getLocation());
    return true;
  }
  bool VisitTypeLoc(clang::TypeLoc type) {
    keep(type.getBeginLoc());
    return true;
  }
  bool VisitNamedDecl(clang::NamedDecl* declaration) {
    keep(declaration->getLocation());
    if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration)) {
      const auto* type = record_of(variable->getType());
      if (may_send(variable->getType())) {
        senders_.insert(variable->getIdentifier());
      } else if (type != nullptr && type->isLambda()) {
        functions_.insert(variable->getIdentifier());
      }
    } else if (llvm::isa<clang::FunctionDecl>(declaration)) {
      functions_.insert(declaration->getIdentifier());
    }
    return true;
  }
  bool VisitCXXConstructorDecl(clang::CXXConstructorDecl* constructor) {
    for (const auto* initialiser : constructor->inits()) keep(initialiser->getMemberLocation());
    return true;
  }

  /// The name of a function whose declaration has an error is kept without what it names.
  bool is_kept(clang::SourceLocation location, LostWord::Kind kind) const {
    const bool is_broken = broken_.contains(location);
    return kind == LostWord::Kind::raise ? kept_.contains(location) && !is_broken
                                         : kept_.contains(location) || is_broken;
  }
  std::optional<LostWord::Kind> kind(const clang::IdentifierInfo& word) const {
    using namespace clang::tok;
    switch (word.getTokenID()) {
      case kw_return:
      case kw_co_return:
      case kw_goto:
        return LostWord::Kind::leave;
      case kw_throw:
        return LostWord::Kind::raise;
      default:
        if (senders_.contains(&word)) return LostWord::Kind::sender;
        if (word.getName() != "raise" && !functions_.contains(&word)) return std::nullopt;
        return LostWord::Kind::raise;
    }
  }

 private:
  void keep(clang::SourceLocation location) {
    if (location.isValid()) kept_.insert(location);
  }

  std::set<clang::SourceLocation> kept_;
  std::set<clang::SourceLocation> broken_;  ///< expressions of which Clang keeps nothing else
  std::set<const clang::IdentifierInfo*> senders_;
  std::set<const clang::IdentifierInfo*> functions_;
};

clang::SourceRange whole_file(const clang::SourceManager& sources) {
  const clang::FileID file = sources.getMainFileID();
  return {sources.getLocForStartOfFile(file), sources.getLocForEndOfFile(file)};
}

std::string main_text(const FileContext& context) {
  const auto& sources = context.at.sources();
  return sources.getBufferData(sources.getMainFileID()).str();
}

/// A loop over a range in a text.
struct RangeLoop {
  std::size_t header_begin = 0;  ///< after its `(`
  std::size_t header_end = 0;    ///< its `)`
  std::size_t end = 0;
  std::string declarator = {};  ///< `name` or `[one,other]`
  std::string name = {};        ///< the first one
};

class StatementReader {
 public:
  explicit StatementReader(const std::vector<SourceToken>& tokens) : tokens_(tokens) {}

  /// After the statement.
  std::size_t end_of(std::size_t at) const { return tokens_[end_of_statement(at) - 1].end(); }

  /// Empty for another loop, and for one with an initialiser.
  std::optional<RangeLoop> loop(std::size_t at) const {
    const std::size_t open = at + 1;
    if (open >= tokens_.size() || tokens_[open].text != "(") return std::nullopt;
    const std::size_t after = after_bracket(open);
    if (after >= tokens_.size()) return std::nullopt;
    RangeLoop loop{.header_begin = tokens_[open].end(), .header_end = tokens_[after - 1].begin};
    for (at = open + 1; at < after; ++at) {
      const std::string_view text = tokens_[at].text;
      if (text == ";" || text == "?") return std::nullopt;
      if (text == ":") break;
      if (is_open(text)) at = after_bracket(at) - 1;
    }
    if (at >= after || !name(loop, at)) return std::nullopt;
    loop.end = end_of(after);
    return loop;
  }

 private:
  static bool is_open(std::string_view text) { return text == "(" || text == "[" || text == "{"; }

  /// After the bracket that closes the one at `at`.
  std::size_t after_bracket(std::size_t at) const {
    for (std::size_t depth = 0; at < tokens_.size(); ++at) {
      const std::string_view text = tokens_[at].text;
      if (is_open(text)) ++depth;
      const bool closes = text == ")" || text == "]" || text == "}";
      if (closes && --depth == 0) return at + 1;
    }
    return at;
  }

  std::size_t end_of_statement(std::size_t at) const {
    if (tokens_[at].text == "{") return after_bracket(at);
    while (at < tokens_.size() && tokens_[at].text != ";") {
      if (tokens_[at].text == "{") return after_bracket(at);
      at = is_open(tokens_[at].text) ? after_bracket(at) : at + 1;
    }
    return std::min(at + 1, tokens_.size());
  }

  /// What is declared before the ':' at `colon`: `auto& each`, `auto& [key, value]`.
  bool name(RangeLoop& loop, std::size_t colon) const {
    const SourceToken& last = tokens_[colon - 1];
    if (last.kind == SourceToken::Kind::name) {
      loop.declarator = loop.name = last.text;
      return true;
    }
    if (last.text != "]") return false;
    std::size_t begin = colon - 1;
    while (begin > 0 && tokens_[begin].text != "[") --begin;
    for (std::size_t at = begin; at < colon; ++at) {
      loop.declarator += tokens_[at].text;
      if (loop.name.empty() && tokens_[at].kind == SourceToken::Kind::name) {
        loop.name = tokens_[at].text;
      }
    }
    return !loop.name.empty();
  }

  const std::vector<SourceToken>& tokens_;
};

/// False if the header is too short.
bool replace_header(std::string& text, const RangeLoop& loop) {
  const std::string header = "auto " + loop.declarator + "=$;" + loop.name + ";";
  std::size_t written = 0;
  std::string replaced = text;
  for (std::size_t at = loop.header_begin; at < loop.header_end; ++at) {
    if (text[at] == '\n') continue;
    // A name must not be in two lines.
    const std::size_t line_end = std::min(text.find('\n', at), loop.header_end);
    if (written == 0 && line_end - at < header.size()) {
      replaced[at] = ' ';
      continue;
    }
    replaced[at] = written < header.size() ? header[written++] : ' ';
  }
  if (written < header.size()) return false;
  text = std::move(replaced);
  return true;
}

constexpr llvm::StringLiteral kReturnLabel = "$";

/// With the length of `return`. Two labels of one function must differ.
std::string return_label(std::size_t offset) {
  constexpr std::string_view kLetters = "0123456789abcdefghijklmnopqrstuvwxyz";
  std::string label = kReturnLabel.str();
  for (int i = 0; i < 4; ++i, offset /= kLetters.size())
    label += kLetters[offset % kLetters.size()];
  return label + ':';
}

/// Appends what has not been found where `range` is.
template <class Found>
void add_at_other_ranges(std::vector<Found>& found, std::vector<Found> others) {
  for (Found& each : others) {
    if (std::ranges::find(found, each.range, &Found::range) == found.end()) {
      found.push_back(std::move(each));
    }
  }
  std::ranges::stable_sort(found, {}, &Found::range);
}

template <class Type>
void add_other_names(std::vector<Type>& types, std::vector<Type> others) {
  for (Type& each : others) {
    if (std::ranges::find(types, each.name, &Type::name) == types.end()) {
      types.push_back(std::move(each));
    }
  }
}

}  // namespace

std::vector<LostWord> lost_words(const FileContext& context) {
  if (context.errors.errors().empty()) return {};
  const KeptFinder kept(context);
  std::vector<LostWord> lost;
  for (const auto& word :
       context.words.in(context.at.sources(), whole_file(context.at.sources()))) {
    const auto kind = kept.kind(*word.name);
    if (kind && !kept.is_kept(word.location, *kind)) lost.push_back({word.offset, *kind});
  }
  return lost;
}

bool has_lost_words(const FileContext& context, const clang::Stmt& body) {
  const auto& sources = context.at.sources();
  const auto [file, begin] = sources.getDecomposedExpansionLoc(body.getBeginLoc());
  const auto end = sources.getDecomposedExpansionLoc(body.getEndLoc()).second;
  return file == sources.getMainFileID() &&
         std::ranges::any_of(context.lost, [&](const LostWord& word) {
           return word.kind != LostWord::Kind::raise && begin <= word.offset && word.offset <= end;
         });
}

std::optional<std::string> without_losses(const FileContext& context) {
  if (context.lost.empty()) return std::nullopt;
  const std::string original = main_text(context);
  std::string text = original;
  const std::vector<SourceToken> tokens = source_tokens(original);
  const StatementReader statements(tokens);
  const auto is_lost_in = [&](std::size_t begin, std::size_t end, const auto& matters) {
    return std::ranges::any_of(context.lost, [&](const LostWord& word) {
      return begin <= word.offset && word.offset < end && matters(word.kind);
    });
  };
  const auto is = [](LostWord::Kind kind) {
    return [kind](LostWord::Kind lost) { return lost == kind; };
  };
  const auto any = [](LostWord::Kind) { return true; };
  for (std::size_t at = 0; at + 1 < tokens.size(); ++at) {
    const SourceToken& token = tokens[at];
    if (token.text == "for") {
      const auto loop = statements.loop(at);
      if (loop && is_lost_in(loop->header_end, loop->end, any)) replace_header(text, *loop);
    } else if (token.text == "return" && tokens[at + 1].text != "{" &&
               is_lost_in(token.begin, token.end(), is(LostWord::Kind::leave)) &&
               is_lost_in(token.end(), statements.end_of(at), is(LostWord::Kind::sender))) {
      text.replace(token.begin, token.text.size(), return_label(token.begin));
    }
  }
  return text == original ? std::nullopt : std::optional(std::move(text));
}

bool replaces_return(const clang::LabelStmt& label) {
  return llvm::StringRef(label.getName()).starts_with(kReturnLabel);
}

void add_recovered(model::ParsedFile& file, model::ParsedFile recovered) {
  if (file.registrations.size() != recovered.registrations.size()) return;
  for (std::size_t i = 0; i < file.registrations.size(); ++i) {
    model::HandlerUse& own = file.registrations[i].handler;
    model::HandlerUse& other = recovered.registrations[i].handler;
    add_at_other_ranges(own.reads, std::move(other.reads));
    add_at_other_ranges(own.typed_reads, std::move(other.typed_reads));
    add_at_other_ranges(own.calls, std::move(other.calls));
    own.sent = std::move(other.sent);
    own.sends_others = other.sends_others;
    own.may_send_json = other.may_send_json;
    own.statuses = std::move(other.statuses);
    own.refused_redirects = std::move(other.refused_redirects);
    own.pages = std::move(other.pages);
    own.proxies = own.proxies || other.proxies;
  }
  add_other_names(file.types, std::move(recovered.types));
  add_other_names(file.named_types, std::move(recovered.named_types));
  add_other_names(file.sent_types, std::move(recovered.sent_types));
}

}  // namespace fairway::frontend
