// What the head of a document says of its page, and the policy that allows its scripts.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.hpp"
#include "pages/page_set.hpp"

namespace fw::pages {
namespace {

using templates::append_text;
using templates::append_value;
using templates::Escape;

/// `names`: of the meta elements for a member.
struct Metadata {
  std::string_view member;
  std::vector<std::string_view> names;
};

const std::vector<Metadata>& known_metadata() {
  static const std::vector<Metadata> rows = {
      {"title", {"og:title"}},
      {"description", {"description", "og:description"}},
      {"canonical", {"og:url"}},
      {"image", {"og:image"}},
  };
  return rows;
}

void append_meta(std::string& out, std::string_view name, const Json& value) {
  // The Open Graph vocabulary uses a different attribute than HTML.
  const bool is_property = name.starts_with("og:") || name.starts_with("article:");
  out += is_property ? "<meta property=\"" : "<meta name=\"";
  append_text(out, name, Escape::html);
  out += "\" content=\"";
  append_value(out, value, Escape::html);
  out += "\">\n";
}

void append_member(std::string& out, const std::string& name, const Json& value) {
  if (value.is_null() || value == "") return;
  if (name == "jsonLd") {
    out += "<script type=\"application/ld+json\">";
    append_value(out, value, Escape::json);
    out += "</script>\n";
    return;
  }
  if (name == "title") {
    out += "<title>";
    append_value(out, value, Escape::html);
    out += "</title>\n";
  } else if (name == "canonical") {
    out += "<link rel=\"canonical\" href=\"";
    append_value(out, value, Escape::url);
    out += "\">\n";
  }
  const auto& rows = known_metadata();
  const auto known = std::ranges::find(rows, name, &Metadata::member);
  if (known == rows.end()) return append_meta(out, name, value);
  for (const std::string_view each : known->names) append_meta(out, each, value);
}

using Directive = std::vector<std::string>;

std::vector<Directive> parse_policy(std::string_view policy) {
  std::vector<Directive> directives;
  base::for_each_token(policy, ';', [&](std::string_view text) {
    Directive directive;
    base::for_each_token(text, ' ', [&](std::string_view word) {
      if (!word.empty()) directive.emplace_back(word);
    });
    if (!directive.empty()) directives.push_back(std::move(directive));
  });
  return directives;
}

Directive* find_directive(std::vector<Directive>& directives, std::string_view name) {
  const auto found = std::ranges::find_if(directives, [&](const Directive& directive) {
    return base::equal_ignoring_case(directive.front(), name);
  });
  return found == directives.end() ? nullptr : &*found;
}

bool has_source(const Directive& directive, std::string_view source) {
  return std::ranges::any_of(
      directive, [&](const std::string& each) { return base::equal_ignoring_case(each, source); });
}

}  // namespace

void append_metadata(std::string& out, const Json& seo) {
  if (!seo.is_object()) return;
  // The title first, for readers; the others by name.
  if (seo.contains("title")) append_member(out, "title", seo["title"]);
  for (const auto& [name, value] : seo.items()) {
    if (name != "title") append_member(out, name, value);
  }
}

std::string policy_with_nonce(std::string_view policy, std::string_view nonce) {
  std::vector<Directive> directives = parse_policy(policy);
  const std::string source = fmt::format("'nonce-{}'", nonce);
  for (const std::string_view name :
       {"script-src", "script-src-elem", "style-src", "style-src-elem"}) {
    Directive* directive = find_directive(directives, name);
    if (directive == nullptr) {
      const Directive* const fallback = find_directive(directives, "default-src");
      // The more specific directives fall back to those for all scripts or styles.
      if (fallback == nullptr || name.ends_with("-elem")) continue;
      Directive copy = *fallback;
      copy.front() = name;
      directive = &directives.emplace_back(std::move(copy));
    }
    if (has_source(*directive, "'unsafe-inline'")) continue;
    std::erase_if(*directive, [](const std::string& each) {
      return base::equal_ignoring_case(each, "'none'");
    });
    directive->push_back(source);
  }
  std::vector<std::string> texts;
  for (const Directive& directive : directives) {
    texts.push_back(fmt::format("{}", fmt::join(directive, " ")));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

}  // namespace fw::pages
