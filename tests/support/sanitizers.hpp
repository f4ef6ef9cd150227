// What a sanitizer cannot do.
#pragma once

namespace fairway::test {

/// UndefinedBehaviorSanitizer needs a descriptor when it meets an object of a type for the first
/// time: tests that take all of them are skipped.
#if defined(__has_feature)
#if __has_feature(undefined_behavior_sanitizer)
inline constexpr bool kChecksObjects = true;
#define FAIRWAY_CHECKS_OBJECTS
#endif
#endif
#ifndef FAIRWAY_CHECKS_OBJECTS
inline constexpr bool kChecksObjects = false;
#endif
#undef FAIRWAY_CHECKS_OBJECTS

}  // namespace fairway::test
