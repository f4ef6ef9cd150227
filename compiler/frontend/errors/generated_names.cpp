#include "frontend/errors/generated_names.hpp"

#include <clang/Sema/SemaDiagnostic.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace fairway::frontend {
namespace {

constexpr const char* kRoot = "routes";

/// Whether the error says that Clang does not know a name.
bool is_of_unknown_name(unsigned id) {
  using namespace clang::diag;
  constexpr unsigned kIds[] = {err_undeclared_var_use,      err_undeclared_var_use_suggest,
                               err_undeclared_use,          err_undeclared_use_suggest,
                               err_unknown_typename,        err_unknown_typename_suggest,
                               err_expected_namespace_name, err_using_directive_suggest};
  return std::ranges::find(kIds, id) != std::end(kIds);
}

/// Whether the message, such as "no type named 'Response404' in 'routes::orders::Show'", names what
/// is before a part of the name: then the name means a generated type.
bool names_scope_of(std::string_view message, const std::vector<std::string>& parts) {
  std::string scope;
  return std::ranges::any_of(parts, [&](const std::string& part) {
    scope += scope.empty() ? part : "::" + part;
    return message.find(fmt::format("in '{}'", scope)) != message.npos;
  });
}

}  // namespace

llvm::StringRef GeneratedNames::Word::text() const {
  if (name != nullptr) return name->getName();
  const char* punctuator = clang::tok::getPunctuatorSpelling(kind);
  return punctuator == nullptr ? llvm::StringRef() : llvm::StringRef(punctuator);
}

/// An empty text is any word.
bool GeneratedNames::end_in(const Words& words, std::initializer_list<llvm::StringRef> texts) {
  std::size_t place = texts.size();
  return std::ranges::all_of(texts, [&](llvm::StringRef text) {
    --place;
    return text.empty() || words[place].text() == text;
  });
}

void GeneratedNames::remember(const Word& word) {
  std::shift_right(words_.begin(), words_.end(), 1);
  words_.front() = word;
}

void GeneratedNames::add(const clang::SourceManager& sources, const clang::Token& token) {
  if (token.isAnnotation()) return;
  const bool is_word = token.is(clang::tok::identifier);
  const Word word{token.getKind(), token.getIdentifierInfo()};
  if (is_open_) {
    if (expects_word_ && token.is(clang::tok::kw_template)) return;
    if (expects_word_ && is_word) {
      current_.parts.push_back(word.text().str());
      current_.end = token.getLocation();
      last_ = word;
      expects_word_ = false;
      return;
    }
    if (!expects_word_ && token.is(clang::tok::coloncolon)) {
      expects_word_ = true;
      return;
    }
    finish(token.is(clang::tok::semi));
  }
  if (!is_word || (!has_begun_ && word.text() != kRoot) ||
      sources.isInSystemHeader(token.getLocation())) {
    return remember(word);
  }
  has_begun_ = true;
  before_ = words_;
  if (before_.front().kind == clang::tok::coloncolon) {
    std::shift_left(before_.begin(), before_.end(), 1);
  }
  current_ = {.parts = {word.text().str()},
              .begin = token.getLocation(),
              .end = token.getLocation(),
              .in_valid = end_in(before_, {".", "valid", "<"}) ||
                          end_in(before_, {"->", "valid", "<"}) ||
                          end_in(before_, {"template", "valid", "<"})};
  last_ = word;
  is_open_ = true;
  expects_word_ = false;
}

/// `is_statement`: whether a semicolon follows.
void GeneratedNames::finish(bool is_statement) {
  is_open_ = false;
  current_.meanings = meanings_of(current_.parts);
  const auto name_also = [&](llvm::StringRef name) {
    if (is_statement && !current_.meanings.empty()) aliases_[name.str()] = current_.meanings;
  };
  if (end_in(before_, {"using", "namespace"}) && is_statement) {
    current_.use = model::NameUse::space;
    std::ranges::copy(current_.meanings, std::back_inserter(opened_));
  } else if (end_in(before_, {"namespace", "", "="})) {
    current_.use = model::NameUse::space;
    name_also(before_[1].text());
  } else {
    if (before_.front().kind == clang::tok::kw_typename) {
      std::shift_left(before_.begin(), before_.end(), 1);
    }
    if (end_in(before_, {"using", "", "="})) {
      current_.use = model::NameUse::type;
      name_also(before_[1].text());
    } else if (end_in(before_, {"using"})) {
      current_.use = model::NameUse::type;
      name_also(last_.text());
    }
    if (current_.use == model::NameUse::any) {
      // `routes` alone is no generated name.
      std::erase_if(current_.meanings, [](const Meaning& each) { return each.parts.size() < 2; });
    }
  }
  remember(last_);
  if (!current_.meanings.empty()) names_.insert_or_assign(current_.begin, std::move(current_));
}

std::vector<GeneratedNames::Meaning> GeneratedNames::meanings_of(const Parts& parts) const {
  if (parts.front() == kRoot) return {{parts}};
  std::vector<Meaning> meanings;
  const auto add = [&](Meaning meaning, std::size_t from) {
    meaning.parts.insert(meaning.parts.end(), parts.begin() + static_cast<std::ptrdiff_t>(from),
                         parts.end());
    meanings.push_back(std::move(meaning));
  };
  if (const auto alias = aliases_.find(parts.front()); alias != aliases_.end()) {
    for (const Meaning& each : alias->second) add({each.parts, each.is_assumed, true}, 1);
    return meanings;
  }
  for (const Meaning& each : opened_) add({each.parts, true}, 0);
  return meanings;
}

std::vector<model::GeneratedName> GeneratedNames::at(const Locations& locations,
                                                     clang::SourceLocation location) const {
  const auto after = names_.upper_bound(location);
  if (after == names_.begin()) return {};
  const Name& name = std::prev(after)->second;
  if (name.end < location) return {};
  const bool in_macro = name.begin.isMacroID() || name.end.isMacroID();
  std::vector<model::GeneratedName> result;
  for (const Meaning& meaning : name.meanings) {
    result.push_back({.parts = meaning.parts,
                      .in_valid = name.in_valid,
                      .is_assumed = meaning.is_assumed,
                      .is_alias = meaning.is_alias,
                      .in_macro = in_macro,
                      .use = name.use,
                      .range = in_macro ? locations.used({name.begin, name.end})
                                        : locations.of({name.begin, name.end})});
  }
  return result;
}

std::vector<model::GeneratedName> generated_names(const FileContext& context,
                                                  const ErrorCollector::Error& error) {
  auto names = context.generated_names.at(context.at, error.message.location);
  // Within a name, only an error that a part of it does not exist.
  const bool is_within = !context.generated_names.begins_at(error.message.location);
  const std::string_view text = error.message.text;
  if (is_within && text.find("in namespace 'routes") == text.npos &&
      text.find("in 'routes::") == text.npos) {
    return {};
  }
  const bool is_unknown = is_of_unknown_name(error.message.id);
  std::erase_if(names, [&](const model::GeneratedName& name) {
    return name.is_assumed && !is_unknown && !(is_within && names_scope_of(text, name.parts));
  });
  return names;
}

bool names_generated_type(const FileContext& context, const ErrorCollector::Error& error) {
  return !std::ranges::all_of(generated_names(context, error), &model::GeneratedName::is_assumed);
}

}  // namespace fairway::frontend
