#include "frontend/compilers/compiler_differences.hpp"

#include <clang/Lex/Lexer.h>
#include <clang/Lex/Token.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <type_traits>

#include "frontend/compilers/compiler_macros.hpp"
#include "model/parsed_file_archive.hpp"
#include "model/type_rules.hpp"

namespace fairway::frontend {
namespace {

/// All of a value except where it is written.
class Meaning {
 public:
  template <class... T>
  void operator()(const T&... values) {
    (add(values), ...);
  }
  const std::string& text() const { return text_; }

 private:
  static void add(const model::Range&) {}
  static void add(const model::ByteRanges&) {}
  void add(const std::string& value) { text_ += fmt::format("{} {},", value.size(), value); }
  void add(double value) { text_ += fmt::format("{},", value); }
  template <class T>
  void add(const T& value) {
    if constexpr (std::is_enum_v<T> || std::is_integral_v<T>) {
      text_ += fmt::format("{},", static_cast<std::int64_t>(value));
    } else {
      archive_members(*this, value);
    }
  }
  template <class T>
  void add(const std::vector<T>& list) {
    add(list.size());
    for (const T& item : list) add(item);
  }
  template <class T>
  void add(const std::optional<T>& value) {
    add(value.has_value());
    if (value) add(*value);
  }

  std::string text_;
};

template <class... T>
std::string meaning_of(const T&... values) {
  Meaning meaning;
  meaning(values...);
  return meaning.text();
}

/// Whether there is anything but `#pragma`s and errors between two locations of a file, except
/// pragmas that change macros.
bool selects_anything(const FileContext& context, const CompilerCondition& condition) {
  const auto& sources = context.at.sources();
  const clang::FileID file = sources.getFileID(condition.begin);
  const llvm::StringRef text = sources.getBufferData(file);
  clang::Lexer lexer(sources.getLocForStartOfFile(file), context.at.language(), text.begin(),
                     text.begin() + sources.getFileOffset(condition.begin), text.end());
  clang::Token token;
  lexer.LexFromRawLexer(token);  // the keyword of the directive
  bool in_directive = true;
  bool is_name = false;  // of a directive
  while (!lexer.LexFromRawLexer(token) && token.getLocation() < condition.end) {
    if (token.isAtStartOfLine()) {
      in_directive = is_name = token.is(clang::tok::hash);
      if (in_directive) continue;
    }
    if (!in_directive) return true;
    const llvm::StringRef word =
        token.is(clang::tok::raw_identifier) ? token.getRawIdentifier() : llvm::StringRef();
    const bool is_read = word == "define" || word == "undef" || word.starts_with("include");
    const bool is_pragma = word == "push_macro" || word == "pop_macro";
    if (std::exchange(is_name, false) ? is_read : is_pragma) return true;
  }
  return false;
}

using Place = std::pair<std::string, unsigned>;

Place place_of(const clang::SourceManager& sources, clang::SourceLocation location) {
  return {sources.getFilename(location).str(), sources.getFileOffset(location)};
}

std::map<Place, Selection> by_place(const std::vector<Selection>& selections) {
  std::map<Place, Selection> result;
  // A file may be included several times.
  for (const Selection& each : selections) {
    const auto [known, is_new] = result.emplace(each.begin, each);
    if (is_new) continue;
    Selection& whole = known->second;
    whole.values.insert(whole.values.end(), each.values.begin(), each.values.end());
    whole.is_covered = whole.is_covered && each.is_covered;
  }
  return result;
}

/// The conditions whose directives have another value in the other reading.
std::set<Place> changed(const std::vector<Selection>& one, const std::vector<Selection>& other) {
  std::set<Place> places;
  const auto others = by_place(other);
  for (const auto& [place, selection] : by_place(one)) {
    const auto found = others.find(place);
    if (found != others.end() && found->second.values != selection.values) places.insert(place);
  }
  return places;
}

/// Compares the reading of a file by Clang with the reading by GCC, and reports the differences.
class ReadingComparison {
 public:
  ReadingComparison(FileContext& context, const Conditions& conditions, const GccReading& reading)
      : context_(context), other_(reading.file) {
    const auto& sources = context.at.sources();
    const auto places = changed(selections(sources, conditions), reading.selections);
    const auto note = [&](const std::vector<CompilerCondition>& all) {
      for (const CompilerCondition& condition : all) {
        if (!places.contains(place_of(sources, condition.begin))) continue;
        if (!selects_anything(context, condition)) continue;
        if (notes_.size() == kMaxNotes) return;
        notes_.push_back({"the compiler decides here", context.at.token(condition.begin)});
        if (help_.empty()) help_ = condition.help;
      }
    };
    note(conditions.of_compiler);
    if (notes_.empty()) note(conditions.others);
  }

  void run() {
    const std::size_t before = context_.file.diagnostics.size();
    compare_export();
    if (context_.file.diagnostics.size() > before) return;
    compare_types();
    compare_routes();
  }

 private:
  static constexpr std::size_t kMaxNotes = 3;

  void compare_export() {
    const model::ParsedFile& own = context_.file;
    if (own.export_kind == other_.export_kind && own.reexport_target == other_.reexport_target) {
      return;
    }
    report(model::rules::registration_not_top_level, "with GCC, the file exports something else",
           own.export_range);
  }

  void compare_types() {
    for (const model::CppType& type : context_.file.types) {
      const auto found = std::ranges::find(other_.types, type.name, &model::CppType::name);
      if (found == other_.types.end() || meaning_of(type) == meaning_of(*found)) continue;
      has_types_ = true;
      report(model::rules::unsupported_type,
             fmt::format("with GCC, '{}' has other members", std::string_view(type.name).substr(2)),
             type.range);
    }
  }

  void compare_routes() {
    std::vector<bool> is_matched(other_.registrations.size(), false);
    for (model::Registration& route : context_.file.registrations) {
      std::size_t at = 0;
      while (at < is_matched.size() &&
             (is_matched[at] || other_.registrations[at].method != route.method ||
              other_.registrations[at].path != route.path)) {
        ++at;
      }
      if (at == is_matched.size()) {
        report_route(route, "with GCC, the program has no route '{}'");
        continue;
      }
      is_matched[at] = true;
      compare_route(route, other_.registrations[at]);
    }
    for (std::size_t at = 0; at < is_matched.size(); ++at) {
      if (is_matched[at]) continue;
      report_route(other_.registrations[at], "with GCC, the program also has the route '{}'");
    }
  }

  void compare_route(model::Registration& own, const model::Registration& other) {
    if (meaning_of(own.options, own.options_resolved) !=
        meaning_of(other.options, other.options_resolved)) {
      report_route(own, "with GCC, '{}' has other options");
    }
    // A type with other members is reported.
    if (!has_types_ && meaning_of(own.signature) != meaning_of(other.signature)) {
      report_route(own, "with GCC, '{}' has other parameters or another result");
    }
    keep_common(own.handler, other.handler);
  }

  static void keep_common(model::HandlerUse& own, const model::HandlerUse& other) {
    if (meaning_of(own.sent) != meaning_of(other.sent)) own.sends_others = true;
    const auto is_sent = [&](const model::SentResponse& sent) {
      return std::ranges::any_of(other.sent, [&](model::SentResponse each) {
        if (sent.type.schema.empty()) each.type = sent.type;
        return meaning_of(each) == meaning_of(sent);
      });
    };
    std::erase_if(own.sent, [&](model::SentResponse& sent) {
      if (is_sent(sent)) return false;
      sent.type = {};  // only the status is known
      return !is_sent(sent);
    });
    if (meaning_of(own.messages) != meaning_of(other.messages)) own.messages.handles_others = true;
    keep_common(own.messages.sets, other.messages.sets);
    keep_common(own.messages.sends, other.messages.sends);
    own.sends_others = own.sends_others || other.sends_others;
    own.may_send_json = own.may_send_json || other.may_send_json;
  }

  static void keep_common(std::vector<model::NamedMessage>& own,
                          const std::vector<model::NamedMessage>& other) {
    std::erase_if(own, [&](const model::NamedMessage& message) {
      return std::ranges::find(other, message.name, &model::NamedMessage::name) == other.end();
    });
  }

  void report_route(const model::Registration& route, fmt::format_string<std::string> message) {
    auto& diagnostic = report(model::rules::registration_not_top_level,
                              fmt::format(message, route.method + ' ' + route.path), route.range);
    diagnostic.method = route.method;
    diagnostic.route = route.path;
  }

  model::Diagnostic& report(const model::Rule& rule, std::string message, model::Range range) {
    auto& diagnostic = context_.report(rule, std::move(message), std::move(range));
    diagnostic.notes = notes_;
    diagnostic.help = help_.empty() ? "use macros that your build defines" : help_;
    return diagnostic;
  }

  FileContext& context_;
  const model::ParsedFile& other_;
  std::vector<model::Note> notes_;
  std::string help_;
  bool has_types_ = false;  ///< of which some differ
};

}  // namespace

std::vector<Selection> selections(const clang::SourceManager& sources,
                                  const Conditions& conditions) {
  std::vector<Selection> result;
  for (const auto* list : {&conditions.of_compiler, &conditions.others}) {
    for (const CompilerCondition& each : *list) {
      result.push_back({place_of(sources, each.begin), each.values, each.is_covered});
    }
  }
  return result;
}

std::vector<Compiler> other_compilers(bool mention_gcc_version, bool mention_clang_version) {
  using enum Compiler::Family;
  if (mention_clang_version) {
    return {{.family = clang, .version = 14}, {.family = clang, .version = kNewestVersion}};
  }
  if (mention_gcc_version) return {{.version = 13}, {.version = 14}, {.version = 15}};
  return {{.version = kOldestGcc},
          {.version = kNewestVersion},
          {.version = kNewestVersion, .has_everything = true}};
}

bool is_reading_needed(const FileContext& context, const Conditions& conditions) {
  return conditions.mention_standard ||
         std::ranges::any_of(conditions.of_compiler,
                             [&](const CompilerCondition& condition) {
                               return selects_anything(context, condition);
                             }) ||
         std::ranges::any_of(context.differing_tokens, [](const DifferingToken& token) {
           return is_compiler_macro(token.macro);
         });
}

void note_readings(const FileContext& context, Conditions& conditions, std::uint64_t own_tokens,
                   const std::vector<Preprocessing>& others) {
  const auto& sources = context.at.sources();
  const auto own = selections(sources, conditions);
  std::set<Place> compared;
  std::set<Place> uncovered;
  std::map<Place, std::set<std::vector<bool>>> parsed;
  const auto parse = [&](const std::vector<Selection>& selections) {
    for (const auto& [place, each] : by_place(selections)) parsed[place].insert(each.values);
  };
  parse(own);
  for (const Preprocessing& other : others) {
    if (!other.is_parsed) continue;
    parse(other.selections);
    if (other.tokens != own_tokens) compared.merge(changed(own, other.selections));
  }
  for (const Preprocessing& other : others) {
    for (const auto& [place, each] : by_place(other.selections)) {
      if (!each.is_covered || !parsed[place].contains(each.values)) uncovered.insert(place);
    }
  }
  std::set<clang::SourceLocation> known;
  std::erase_if(conditions.of_compiler, [&](CompilerCondition& condition) {
    const Place place = place_of(sources, condition.begin);
    condition.is_compared = compared.contains(place);
    condition.is_covered = condition.is_covered && !uncovered.contains(place);
    const bool is_equal = !condition.is_compared && known.contains(condition.derived_from);
    if (is_equal || condition.is_compared) known.insert(condition.begin);
    return is_equal || (!condition.is_compared && condition.is_covered);
  });
}

void compare_readings(FileContext& context, const Conditions& conditions,
                      const std::vector<GccReading>& readings) {
  for (const GccReading& reading : readings) {
    const std::size_t before = context.file.diagnostics.size();
    ReadingComparison(context, conditions, reading).run();
    if (context.file.diagnostics.size() > before) return;  // the others would repeat it
  }
}

}  // namespace fairway::frontend
