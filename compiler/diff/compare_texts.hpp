// What people read: nothing of it is on the wire.
#pragma once

#include <span>
#include <string_view>

#include "diff/recorder.hpp"
#include "diff/schema.hpp"

namespace fairway::diff {

/// `deprecated`, title, description and examples of a schema.
void compare_schema_texts(const Schema& before, const Schema& after, const Location& location,
                          Recorder& recorder);

/// One member that is compared as it is: "summary" is reported as "summary-changed".
struct TextMember {
  std::string_view name;
  std::string_view id;
};
void compare_text_members(std::span<const TextMember> members, const Place& before,
                          const Place& after, const Location& location, Recorder& recorder);

/// `description`, `example` and `examples` of whatever has them.
void compare_descriptions(const Place& before, const Place& after, const Location& location,
                          Recorder& recorder);

/// Members that begin with "x-".
void compare_extensions(const Place& before, const Place& after, const Location& location,
                        Recorder& recorder);

}  // namespace fairway::diff
