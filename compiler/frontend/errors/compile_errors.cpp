#include "frontend/errors/compile_errors.hpp"

#include <clang/Basic/DiagnosticIDs.h>
#include <clang/Lex/LexDiagnostic.h>
#include <clang/Lex/Lexer.h>
#include <clang/Sema/SemaDiagnostic.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "frontend/compilers/other_compiler.hpp"
#include "frontend/errors/error_causes.hpp"
#include "frontend/errors/generated_names.hpp"

namespace fairway::frontend {
namespace {

bool contains(const FileContext& context, clang::SourceRange range,
              clang::SourceLocation location) {
  if (location.isInvalid() || range.isInvalid()) return false;
  const auto& sources = context.at.sources();
  const clang::SourceLocation expanded = sources.getExpansionLoc(location);
  const clang::SourceLocation begin = sources.getExpansionLoc(range.getBegin());
  const clang::SourceLocation end = sources.getExpansionLoc(range.getEnd());
  return sources.getFileID(expanded) == sources.getFileID(begin) &&
         sources.getFileOffset(begin) <= sources.getFileOffset(expanded) &&
         sources.getFileOffset(expanded) <= sources.getFileOffset(end);
}

}  // namespace

bool belongs_to(const FileContext& context, clang::SourceRange range,
                const ErrorCollector::Error& error) {
  if (contains(context, range, error.message.location)) return true;
  if (context.at.in_main_file(error.message.location)) return false;
  // The error may be in a template of a header; then the notes refer to its use.
  return std::any_of(error.notes.begin(), error.notes.end(),
                     [&](const auto& note) { return contains(context, range, note.location); });
}

clang::SourceLocation location_in(const FileContext& context, clang::SourceRange range,
                                  const ErrorCollector::Error& error) {
  if (contains(context, range, error.message.location)) return error.message.location;
  for (const auto& note : error.notes) {
    if (contains(context, range, note.location)) return note.location;
  }
  return range.getBegin();
}

namespace {

bool is_syntax_error(const ErrorCollector::Error& error) {
  return clang::DiagnosticIDs::getCategoryNameFromID(
             clang::DiagnosticIDs::getCategoryNumberForDiag(error.message.id)) == "Parse Issue";
}

bool is_preprocessing_error(const ErrorCollector::Error& error) {
  return clang::DiagnosticIDs::getCategoryNameFromID(clang::DiagnosticIDs::getCategoryNumberForDiag(
             error.message.id)) == "Lexical or Preprocessor Issue";
}

bool is_at_end_of_file(const FileContext& context, const ErrorCollector::Error& error) {
  const auto& sources = context.at.sources();
  if (error.message.location.isInvalid()) return false;
  const auto [file, offset] = sources.getDecomposedExpansionLoc(error.message.location);
  return offset + 1 >= sources.getFileIDSize(file);
}

/// Decides which errors are left to the build of the program: semantic errors in the bodies of
/// handlers. A syntax error is reported, because it may hide registrations, except after a semantic
/// error in the same handler, where it may be a consequence of generated types that are unknown
/// here.
class HandlerErrors {
 public:
  explicit HandlerErrors(const std::vector<clang::SourceRange>& bodies)
      : bodies_(bodies), has_error_(bodies.size(), false) {}

  bool contain(const FileContext& context, const ErrorCollector::Error& error) {
    if (is_preprocessing_error(error) || is_at_end_of_file(context, error)) return false;
    bool is_left = false;
    for (std::size_t index = 0; index < bodies_.size(); ++index) {
      if (!belongs_to(context, bodies_[index], error)) continue;
      if (is_syntax_error(error) && !has_error_[index]) continue;
      has_error_[index] = true;
      is_left = true;
    }
    return is_left;
  }

 private:
  const std::vector<clang::SourceRange>& bodies_;
  std::vector<bool> has_error_;
};

/// Adds Clang's reason to the existing diagnostic for the statement.
bool attach_clang_reason(FileContext& context, const ErrorCollector::Error& error) {
  constexpr const char* kReasons[] = {"no known conversion from ", "cannot convert "};
  for (const auto& explained : context.explained) {
    if (!belongs_to(context, explained.range, error)) continue;
    if (explained.handler.isInvalid()) return true;
    auto& diagnostic = context.file.diagnostics[explained.diagnostic];
    for (const auto& note : error.notes) {
      for (const char* reason : kReasons) {
        const std::size_t at = note.text.find(reason);
        if (at == std::string::npos) continue;
        diagnostic.notes.push_back({note.text.substr(at), diagnostic.range});
      }
    }
    return true;
  }
  return false;
}

bool framework_is_included(const FileContext& context) {
  auto& names = context.ast.Idents;
  return !context.ast.getTranslationUnitDecl()->lookup(&names.get("fw")).empty();
}

/// Whether an error may be a consequence of a reported one.
class ConsequenceFilter {
 public:
  explicit ConsequenceFilter(const FileContext& context)
      : framework_(framework_is_included(context)) {}

  bool is_consequence(const ErrorCollector::Error& error) {
    // Without the framework's header, or after a syntax error, Clang's errors are not reliable.
    const bool lost = any_ && (!framework_ || after_syntax_error_);
    const bool repeated = !texts_.insert(error.message.text).second;
    any_ = true;
    return lost || repeated;
  }
  void lose_structure() { after_syntax_error_ = true; }
  bool framework_is_missing() const { return !framework_; }

 private:
  bool framework_;
  bool any_ = false;
  bool after_syntax_error_ = false;
  std::set<std::string> texts_;
};

}  // namespace

std::vector<model::FixIt> repairs(const FileContext& context, const ErrorCollector::Error& error) {
  std::vector<model::FixIt> fixes;
  const bool is_guess = error.message.text.find("did you mean") != std::string::npos &&
                        error.message.id != clang::diag::err_field_designator_unknown_suggest;
  if (is_guess) return fixes;
  for (const clang::FixItHint& hint : error.message.fixes) {
    auto range = context.at.characters(hint.RemoveRange);
    if (!range || hint.InsertFromRange.isValid()) return {};
    fixes.push_back({std::move(*range), hint.CodeToInsert});
  }
  return fixes;
}

namespace {

/// Whether the error is an unknown method of the router, for example one of another framework.
bool names_no_registration(const ErrorCollector::Error& error) {
  return error.message.id == clang::diag::err_no_member ||
                 error.message.id == clang::diag::err_no_member_suggest
             ? error.message.text.find("in 'fw::Router'") != std::string::npos
             : false;
}

/// Generated types are unknown here, so errors that may depend on them, outside of the factory and
/// in the files that name such types, are left to the build of the program.
class UnknownTypes {
 public:
  explicit UnknownTypes(const FileContext& context) : context_(context) {}

  void add(const ErrorCollector::Error& error) {
    // Each file that is included more than once has several ids.
    files_.insert(context_.at.token(error.message.location).file);
  }
  bool may_cause(const ErrorCollector::Error& error) const {
    if (files_.empty() || is_syntax_error(error) || is_preprocessing_error(error)) return false;
    const clang::SourceLocation location = error.message.location;
    return (context_.at.in_main_file(location) ||
            files_.contains(context_.at.token(location).file)) &&
           !belongs_to(context_, context_.bodies.factory, error);
  }

 private:
  const FileContext& context_;
  std::set<std::string> files_;
};

/// Whether the default export is initialised with a value of another type.
bool is_wrong_export(const ErrorCollector::Error& error) {
  return error.message.id == clang::diag::err_typecheck_nonviable_condition &&
         error.message.range.isValid() &&
         error.message.text.find("fw::DefaultExport'") != std::string::npos;
}

/// Usually, the value is the factory itself.
void report_wrong_export(FileContext& context, const ErrorCollector::Error& error) {
  const clang::SourceRange value = error.message.range;
  auto& diagnostic = context.report(model::rules::not_a_route_definition,
                                    "the default export is not the result of 'fw::define_routes'",
                                    context.at.of(value));
  diagnostic.help = "write 'FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) { … });'";
  if (error.message.text.find("'void (fw::Router &)'") == std::string::npos) return;
  const auto& sources = context.at.sources();
  const llvm::StringRef name = clang::Lexer::getSourceText(
      clang::CharSourceRange::getTokenRange(value), sources, context.at.language());
  diagnostic.help = "write 'FW_EXPORT_DEFAULT = fw::define_routes(" + name.str() + ");'";
  const auto whole = context.at.characters(clang::CharSourceRange::getTokenRange(value));
  if (whole) diagnostic.fixes.push_back({*whole, "fw::define_routes(" + name.str() + ")"});
}

/// The name of a scheme where a list of schemes is needed.
bool is_of_requirement(const ErrorCollector::Error& error) {
  return error.message.text.find("no matching con") != std::string::npos &&
         error.message.text.find("fw::SecurityRequirement'") != std::string::npos;
}

/// The name of a template or of overloaded functions in `fw::define_routes(name)`, of which Clang
/// says that no function matches the call. Empty if it is another error.
std::string unsettled_factory(const FileContext& context, const ErrorCollector::Error& error) {
  using namespace clang::tok;
  const clang::SourceLocation place = error.message.location;
  const auto is_inference = [](const ErrorCollector::Message& note) {
    return note.text.find("couldn't infer template argument") != std::string::npos;
  };
  if (error.message.id != clang::diag::err_ovl_no_viable_function_in_call || place.isMacroID() ||
      error.message.text.find("'define_") == std::string::npos || !context.at.in_main_file(place) ||
      std::ranges::none_of(error.notes, is_inference)) {
    return {};
  }
  const ErrorTokens tokens = tokens_at(context, place);
  auto next = std::ranges::find_if(tokens.next, [](const auto& each) { return each.is(l_paren); });
  if (next == tokens.next.end()) return {};
  if ((++next)->is(amp)) ++next;
  std::string name;  // "users", "shop::Users::add"
  for (; next != tokens.next.end() && next->isOneOf(raw_identifier, coloncolon); ++next) {
    name += next->is(coloncolon) ? "::" : next->getRawIdentifier();
  }
  return next != tokens.next.end() && next->is(r_paren) ? name : std::string();
}

/// Where the user's code needs what is wrong, if the error is in a header of the framework or of
/// the system. Otherwise, or if no note says where, the location of the error.
clang::SourceLocation location_of_user(const FileContext& context,
                                       const ErrorCollector::Error& error) {
  const auto& sources = context.at.sources();
  const auto is_of_user = [&](clang::SourceLocation location) {
    return location.isValid() && is_in_file_of_user(sources, sources.getExpansionLoc(location));
  };
  if (error.message.location.isInvalid() || is_of_user(error.message.location)) {
    return error.message.location;
  }
  for (const auto& note : error.notes) {
    if (is_of_user(note.location)) return note.location;
  }
  return error.message.location;
}

/// Of a failed assertion, what it says, without its condition.
std::string message_of(const ErrorCollector::Error& error) {
  constexpr llvm::StringLiteral kAssertion = "static assertion failed";
  constexpr llvm::StringLiteral kEnd = "': ";
  const llvm::StringRef text = error.message.text;
  const std::size_t end = text.find(kEnd);
  if (!text.starts_with(kAssertion) || end == llvm::StringRef::npos) return text.str();
  return text.drop_front(end + kEnd.size()).str();
}

/// Whether Clang has lost the structure of the code at the error.
bool report(FileContext& context, const ErrorCollector::Error& error, bool without_framework) {
  if (is_wrong_export(error)) {
    report_wrong_export(context, error);
    return false;
  }
  const clang::SourceLocation location = location_of_user(context, error);
  const bool is_moved = location != error.message.location;
  const bool redefined = error.message.id == clang::diag::err_redefinition &&
                         error.message.text.find("'fairway_default_export'") != std::string::npos;
  auto& diagnostic = context.report(
      redefined ? model::rules::several_default_exports : model::rules::does_not_parse,
      redefined  ? "this file has a second default export"
      : is_moved ? message_of(error)
                 : error.message.text,
      context.at.token(location));
  if (redefined) {
    diagnostic.help =
        "a file must have only one default export: move the other one to a separate file";
  } else if (without_framework) {
    diagnostic.help = "begin the file with '#include <fairway/fairway.hpp>'";
  } else if (is_of_requirement(error)) {
    diagnostic.help =
        "each scheme has braces of its own: 'fw::SecurityRequirement{{\"bearerAuth\"}}'";
  } else if (names_no_registration(error)) {
    diagnostic.help =
        "a route is registered by its method: 'get', 'post', 'put', 'patch', 'del', "
        "'head' or 'options'";
  } else {
    diagnostic.help = remedy_of(context, error);
  }
  if (const std::string name = unsettled_factory(context, error); !name.empty()) {
    diagnostic.message = fmt::format("'{}' is a template or several functions", name);
    diagnostic.help = "pass a lambda, or a function of which there is only one";
    return false;  // its notes are about the framework
  }
  if (const auto right = right_name(context, error)) {
    diagnostic.message = right->message;
    const auto written = context.at.characters(clang::CharSourceRange::getTokenRange(location));
    if (written) diagnostic.fixes = {{*written, right->name.str()}};
    return true;
  }
  if (const auto comma = missing_comma(context, error); comma.isValid()) {
    const auto place = context.at.characters(clang::CharSourceRange::getCharRange(comma, comma));
    const auto line = context.at.byte(comma).line;
    diagnostic.message = "expected ','";
    diagnostic.help = line == diagnostic.range.line
                          ? std::string("is a ',' missing before this?")
                          : fmt::format("is a ',' missing at the end of line {}?", line);
    if (place) diagnostic.fixes = {{*place, ","}};
    return true;  // its notes are about another reading
  }
  if (!redefined) diagnostic.fixes = repairs(context, error);
  if (is_of_requirement(error)) return false;  // its notes are constructors
  if (is_moved) {
    diagnostic.notes.push_back({error.message.text, context.at.token(error.message.location)});
  }
  for (const auto& note : error.notes) {
    if (is_moved && note.location == location) continue;
    diagnostic.notes.push_back(
        {redefined ? "the first one is here" : note.text, context.at.token(note.location)});
  }
  return is_syntax_error(error);
}

/// Whether a note says which code needs the instance of a template that the error is in.
bool names_request(const ErrorCollector::Error& error) {
  return std::ranges::any_of(error.notes, [](const ErrorCollector::Message& note) {
    return note.text.ends_with("requested here");
  });
}

/// Whether the error follows from `fw::Created<void>`, which is reported.
bool is_of_result_without_data(const FileContext& context, const ErrorCollector::Error& error) {
  if (error.message.id != clang::diag::err_field_incomplete_or_sizeless &&
      error.message.id != clang::diag::err_param_with_void_type) {
    return false;
  }
  return error.message.text.find("'void'") != std::string::npos &&
         std::ranges::any_of(context.file.diagnostics, [](const model::Diagnostic& each) {
           return each.id == model::rules::unsupported_type.id &&
                  each.message.ends_with("<void>' has no data");
         });
}

}  // namespace

std::string missing_system_header(const clang::SourceManager& sources,
                                  const std::vector<ErrorCollector::Error>& errors,
                                  bool are_excluded) {
  for (const auto& error : errors) {
    // Headers of the standard library have no '.' in their names.
    const bool is_excluded =
        are_excluded && error.message.text.find_first_of("./") == std::string::npos;
    if (error.message.id == clang::diag::err_pp_file_not_found &&
        (is_excluded || sources.isInSystemHeader(error.message.location))) {
      return error.message.text;
    }
  }
  return {};
}

void keep_generated_names(FileContext& context, const std::vector<ErrorCollector::Error>& errors) {
  std::set<model::Range> kept;  // errors of a template are reported again for each instantiation
  for (const auto& error : errors) {
    auto names = generated_names(context, error);
    if (names.empty() || !kept.insert(names.front().range).second) continue;
    std::erase_if(names, [](const model::GeneratedName& name) {
      return name.parts.size() < 2 && name.use != model::NameUse::type;
    });
    std::ranges::move(names, std::back_inserter(context.file.generated_names));
  }
}

void report_compile_errors(FileContext& context, const std::vector<ErrorCollector::Error>& errors) {
  const auto is_of_header = [&](const ErrorCollector::Error& error) {
    return std::ranges::any_of(context.bodies.in_headers, [&](clang::SourceRange body) {
      return contains(context, body, error.message.location);
    });
  };
  HandlerErrors of_handlers(context.bodies.handlers);
  HandlerErrors of_unregistered(context.bodies.unregistered);
  ConsequenceFilter follow_on(context);
  const auto add = [&](const ErrorCollector::Error& error) {
    if (follow_on.is_consequence(error) || is_of_result_without_data(context, error)) return;
    if (report(context, error, follow_on.framework_is_missing())) follow_on.lose_structure();
  };
  if (context.reports_handlers) {
    for (const auto& error : errors) {
      if (is_of_header(error)) continue;
      if (!attach_clang_reason(context, error)) add(error);
    }
    return;
  }
  keep_generated_names(context, errors);
  UnknownTypes unknown_types(context);
  std::vector<const ErrorCollector::Error*> lost;
  bool is_in_left = false;  // whether the last error was in a header, and left or explained
  for (const auto& error : errors) {
    if (is_of_header(error)) continue;
    // Of several errors in one instance of a template, only the first names who requested it.
    const bool is_in_header = !context.at.in_main_file(error.message.location);
    if (is_in_left && is_in_header && !names_request(error)) continue;
    is_in_left = false;
    if (of_handlers.contain(context, error) || attach_clang_reason(context, error)) {
      is_in_left = is_in_header;
      continue;
    }
    if (names_generated_type(context, error)) {
      unknown_types.add(error);
      continue;
    }
    if (unknown_types.may_cause(error)) continue;
    if (of_unregistered.contain(context, error)) {
      lost.push_back(&error);
    } else {
      add(error);
    }
  }
  // A registration is missing, but there is no diagnostic.
  if (context.file.diagnostics.empty()) {
    for (const auto* error : lost) add(*error);
  }
}

bool is_extension_of_gcc(const ErrorCollector::Error& error) {
  return error.message.id == clang::diag::err_constexpr_var_requires_const_init ||
         error.message.id == clang::diag::err_variable_object_no_init;
}

}  // namespace fairway::frontend
