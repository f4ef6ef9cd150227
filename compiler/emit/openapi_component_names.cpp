#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "base/ascii.hpp"
#include "emit/openapi_parts.hpp"
#include "model/cpp_names.hpp"

namespace fairway::emit {
namespace {

using fw::base::is_alphanumeric;
using fw::base::is_letter;
using fw::base::to_lower;

bool is_upper(char c) { return is_letter(c) && to_lower(c) != c; }

// "getOrderById" has the words get, Order, By, Id.
std::vector<std::string> words_of(const std::string& operation_id) {
  std::vector<std::string> words(1);
  char previous = 'A';
  for (const char c : operation_id) {
    const bool begins = !is_alphanumeric(c) || (is_upper(c) && !is_upper(previous));
    if (begins && !words.back().empty()) words.emplace_back();
    if (is_alphanumeric(c)) words.back() += c;
    previous = c;
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

bool is_plural_of(const std::string& plural, const std::string& word) {
  return plural.size() == word.size() + 1 && plural.starts_with(word) && plural.back() == 's';
}

// The common part of two words: "Order" for "Order" and "Orders".
std::string common_word(const std::string& one, const std::string& other) {
  if (one == other || is_plural_of(other, one)) return one;
  return is_plural_of(one, other) ? other : std::string();
}

// The uses that are not items of arrays, or all uses if there are no others.
std::vector<SchemaUse> leading_uses(const std::vector<SchemaUse>& uses) {
  std::vector<SchemaUse> whole;
  std::ranges::copy_if(uses, std::back_inserter(whole),
                       [](const SchemaUse& use) { return !use.is_item; });
  return whole.empty() ? uses : whole;
}

/// The common noun of several operations; empty if there is none.
std::string shared_noun(const std::vector<SchemaUse>& uses) {
  std::set<std::string> operations;
  for (const SchemaUse& use : uses) operations.insert(use.operation_id);
  return operations.size() > 1 ? common_noun(uses) : std::string();
}

}  // namespace

CommonWords::CommonWords(const std::string& operation_id) : words_(words_of(operation_id)) {}

bool CommonWords::shares_noun_with(const CommonWords& other) const {
  if (words_.size() < 2 || other.words_.size() < 2) return false;
  const std::string word = common_word(words_[1], other.words_[1]);
  return !word.empty() && is_letter(word.front());
}

void CommonWords::keep_common(const CommonWords& other) {
  std::size_t same = 1;
  for (; same < std::min(words_.size(), other.words_.size()); ++same) {
    std::string word = common_word(words_[same], other.words_[same]);
    if (word.empty()) break;
    words_[same] = std::move(word);
  }
  words_.resize(std::min(words_.size(), same));
}

std::string CommonWords::noun() const {
  std::string noun;
  for (std::size_t i = 1; i < words_.size(); ++i) noun += words_[i];
  return noun.empty() || !is_letter(noun.front()) ? std::string() : model::pascal_case(noun);
}

std::string common_noun(const std::vector<SchemaUse>& uses) {
  CommonWords common(uses.front().operation_id);
  for (const SchemaUse& use : uses) common.keep_common(CommonWords(use.operation_id));
  return common.noun();
}

std::string name_of_use(const SchemaUse& use) {
  const std::string part = use.event.empty() ? use.part : model::pascal_case(use.event);
  return model::pascal_case(use.operation_id) + part + (use.is_item ? "Item" : "");
}

std::string name_of_uses(const std::vector<SchemaUse>& uses) {
  const std::vector<SchemaUse> leading = leading_uses(uses);
  std::string noun = shared_noun(leading);
  if (noun.empty()) {
    // A handler may send what other operations declare: `setState` an order.
    std::vector<SchemaUse> declared = leading;
    std::erase_if(declared, &SchemaUse::is_inferred);
    noun = shared_noun(declared);
  }
  if (noun.empty()) return name_of_use(leading.front());
  const SchemaUse& first = leading.front();
  const bool is_response = first.part.starts_with("Response");
  return noun + (is_response ? "" : first.part) + (first.is_item ? "Item" : "");
}

}  // namespace fairway::emit
