#include "contract_test/test_settings.hpp"

#include <fmt/format.h>

#include <functional>
#include <string_view>

#include "base/json_text.hpp"
#include "base/suggest.hpp"
#include "files/data_file.hpp"
#include "files/user_error.hpp"
#include "files/whole_file.hpp"

namespace fairway::contract_test {
namespace {

/// A value in the file.
struct Place {
  const std::string& file;
  const Json& value;
  std::string pointer;

  [[noreturn]] void fail(std::string_view what) const {
    throw UserError(fmt::format("{}: {}: {}", file, pointer.empty() ? "the file" : pointer, what));
  }
  std::string text() const {
    if (!value.is_string()) fail("must be a string");
    return value.get<std::string>();
  }
};

using Reader = std::function<void(const Place&)>;
using Readers = std::vector<std::pair<std::string_view, Reader>>;

void for_each_member(const Place& place,
                     const std::function<void(const std::string&, Place)>& visit) {
  if (!place.value.is_object()) place.fail("must be an object");
  for (const auto& [name, value] : place.value.items()) {
    visit(name, {place.file, value, place.pointer + fw::base::pointer_step(name)});
  }
}

/// Reads an object whose members are the names in `readers`.
void read_object(const Place& place, const Readers& readers) {
  for_each_member(place, [&](const std::string& name, const Place& member) {
    std::vector<std::string_view> known;
    for (const auto& [each, read] : readers) {
      if (each == name) return read(member);
      known.push_back(each);
    }
    member.fail("unknown member" + fw::base::did_you_mean(name, known));
  });
}

Reader text_into(std::string& variable) {
  return [&variable](const Place& place) { variable = place.text(); };
}

Reader headers_into(Headers& headers) {
  return [&headers](const Place& place) {
    for_each_member(place, [&](const std::string& name, const Place& member) {
      headers.emplace_back(name, member.text());
    });
  };
}

Reader values_into(std::map<std::string, Json>& values) {
  return [&values](const Place& place) {
    for_each_member(
        place, [&](const std::string& name, const Place& member) { values[name] = member.value; });
  };
}

Reader value_into(Json& variable) {
  return [&variable](const Place& place) { variable = place.value; };
}

void read_step(const Place& place, Step& step) {
  read_object(place, {{"method", text_into(step.method)},
                      {"target", text_into(step.target)},
                      {"headers", headers_into(step.headers)},
                      {"body", value_into(step.body)},
                      {"save", [&](const Place& saved) {
                         for_each_member(saved, [&](const std::string& name, const Place& member) {
                           step.save[name] = member.text();
                         });
                       }}});
  if (step.method.empty() || !step.target.starts_with('/')) {
    place.fail("must have 'method' and a 'target' that begins with '/'");
  }
}

void read_operation(const Place& place, OperationSettings& operation) {
  const auto read_exclude = [&](const Place& reason) {
    operation.exclude = reason.text();
    if (operation.exclude.empty()) reason.fail("must give the reason");
  };
  read_object(place, {{"exclude", read_exclude},
                      {"path", values_into(operation.path)},
                      {"query", values_into(operation.query)},
                      {"cookies", values_into(operation.cookies)},
                      {"headers", headers_into(operation.headers)},
                      {"body", value_into(operation.body)}});
}

const Json& variable(const Variables& variables, const std::string& name) {
  const auto found = variables.find(name);
  if (found == variables.end()) {
    throw UserError(fmt::format("no step of 'before' saves the variable '${{{}}}'", name));
  }
  return found->second;
}

/// Visits the texts and the names of variables in "text ${name} text".
void for_each_part(const std::string& text, const std::function<void(std::string_view)>& on_text,
                   const std::function<void(const std::string&)>& on_variable) {
  std::size_t position = 0;
  while (true) {
    const std::size_t begin = text.find("${", position);
    const std::size_t end = text.find('}', begin == text.npos ? begin : begin + 2);
    const std::size_t length = end == text.npos ? text.npos : begin - position;
    on_text(std::string_view(text).substr(position, length));
    if (end == text.npos) return;
    on_variable(text.substr(begin + 2, end - begin - 2));
    position = end + 1;
  }
}

}  // namespace

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

Settings read_settings(const std::filesystem::path& path) {
  const std::string file = path.string();
  const auto text = files::read_file(path);
  if (!text) throw UserError(fmt::format("cannot read '{}'", file));
  const Json root = files::read_data(file, *text);
  Settings settings;
  settings.directory = path.parent_path();
  const auto read_before = [&](const Place& list) {
    if (!list.value.is_array()) list.fail("must be an array");
    for (std::size_t i = 0; i < list.value.size(); ++i) {
      read_step({file, list.value[i], fmt::format("{}/{}", list.pointer, i)},
                settings.before.emplace_back());
    }
  };
  const auto read_operations = [&](const Place& operations) {
    for_each_member(operations, [&](const std::string& id, const Place& operation) {
      read_operation(operation, settings.operations[id]);
    });
  };
  read_object({file, root, ""}, {{"headers", headers_into(settings.headers)},
                                 {"credentials", headers_into(settings.credentials)},
                                 {"before", read_before},
                                 {"operations", read_operations}});
  return settings;
}

std::string expand(const std::string& text, const Variables& variables) {
  std::string result;
  for_each_part(
      text, [&](std::string_view part) { result += part; },
      [&](const std::string& name) { result += text_of(variable(variables, name)); });
  return result;
}

bool knows_variables(const std::string& text, const Variables& variables) {
  bool knows_all = true;
  for_each_part(
      text, [](std::string_view) {},
      [&](const std::string& name) { knows_all = knows_all && variables.contains(name); });
  return knows_all;
}

Json expand(const Json& value, const Variables& variables) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    const bool is_variable = text.starts_with("${") && text.find('}') == text.size() - 1;
    if (is_variable) return variable(variables, text.substr(2, text.size() - 3));
    return expand(text, variables);
  }
  Json result = value;
  if (result.is_structured()) {
    for (Json& part : result) part = expand(part, variables);
  }
  return result;
}

}  // namespace fairway::contract_test
