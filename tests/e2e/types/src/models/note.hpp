// What the routes of typed.cpp take and send. The routes of maps.cpp have schema maps instead.
#pragma once

#include <fairway/fairway.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace notes {

enum class Language { en, de };

struct NoteId {
  fw::Field<"integer:1-"> id;
};

struct Copies {
  std::optional<Language> lang;
  fw::Field<"integer:1-3=1"> copies;
};

inline constexpr std::string_view kTenantHeader = "x-tenant";

struct NoteTenant {
  fw::Field<"string:1-10"> tenant;
  FW_JSON(NoteTenant, (tenant, kTenantHeader))
};

struct Theme {
  std::optional<std::string> theme;
};

struct Author {
  fw::Field<"string:1-"> name;
  std::optional<fw::Field<"email">> email;
};

struct NewNote {
  fw::Field<"string:1-20"> text;
  fw::Field<"integer:0-9=3"> stars;
  std::optional<fw::Field<"array<string>:-3">> tags;
  std::optional<Author> author;
};

/// Everything that a request has brought.
struct Note {
  std::int64_t id;
  std::string text;
  std::int64_t stars;
  std::vector<std::string> tags;
  std::string author;
  std::string lang;
  std::int64_t copies;
  std::string tenant;
  std::string theme;
  std::string user;
};

struct Form {
  fw::Field<"string:1-20"> title;
  fw::Field<"integer:0-"> count;
  std::optional<std::vector<std::string>> tags;
  bool draft = false;
};

struct Words {
  std::string word;
  std::vector<std::string> words;
};

struct Page {
  fw::Field<"integer:1-=1"> page;
  std::optional<std::string> sort;
};

struct Listed {
  std::int64_t page;
  std::int64_t run;
  std::string sort;
  std::string tenant;
};

/// The result of a handler that uses its response, and of no other one.
struct Located {
  std::int64_t id;
};

struct Dated {
  Language language = Language::en;
  std::chrono::sys_days day = {};
  std::string text = {};
};

}  // namespace notes
