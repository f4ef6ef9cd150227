// What sanitizers cannot do: tests that need it are skipped.
#pragma once

#ifndef __has_feature
#define __has_feature(name) 0
#endif

namespace fairway::test {

/// UndefinedBehaviorSanitizer needs a descriptor when it meets an object of a type for the first
/// time.
#if __has_feature(undefined_behavior_sanitizer)
inline constexpr bool kChecksObjects = true;
#else
inline constexpr bool kChecksObjects = false;
#endif

/// Others allocate memory themselves, which mallinfo2 does not count.
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kAllocatesItself = true;
#else
inline constexpr bool kAllocatesItself = false;
#endif

}  // namespace fairway::test
