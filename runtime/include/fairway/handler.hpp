// What the handler of a route takes and returns (docs/types.md):
//
//   app.post("/", [&app](fw::Body<NewOrder> order) -> fw::Created<Order> {
//     return app.services().get<OrderStore>().create(*order);
//   });
#pragma once

#include <fairway/events.hpp>
#include <fairway/json_literal.hpp>
#include <fairway/location.hpp>
#include <fairway/request.hpp>
#include <fairway/response.hpp>
#include <fairway/responses.hpp>
#include <fairway/type_json.hpp>
#include <fairway/type_reference.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <variant>
#include <vector>

namespace fw {

namespace detail {

/// A view of the validated value of one location.
template <class T, Location kAt>
class Input {
 public:
  /// The type of the value.
  using value_type = T;

  /// For tests of handlers. The value must live longer.
  explicit Input(const T& value) : value_(&value) {}

  /// @{
  /// The value, which lives as long as the request.
  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_; }
  /// @}

 private:
  const T* value_;
};

}  // namespace detail

/// A parameter of a handler: the parameters of the path as a T. An invalid request gets 400.
template <class T>
class Param : public detail::Input<T, Location::param> {
  using detail::Input<T, Location::param>::Input;
};
/// A parameter of a handler: the query as a T. An invalid request gets 422, here and below.
template <class T>
class Query : public detail::Input<T, Location::query> {
  using detail::Input<T, Location::query>::Input;
};
/// A parameter of a handler: the header fields as a T.
template <class T>
class Header : public detail::Input<T, Location::header> {
  using detail::Input<T, Location::header>::Input;
};
/// A parameter of a handler: the cookies as a T.
template <class T>
class Cookie : public detail::Input<T, Location::cookie> {
  using detail::Input<T, Location::cookie>::Input;
};
/// A parameter of a handler: the body as a T.
template <class T>
class Body : public detail::Input<T, Location::body> {
  using detail::Input<T, Location::body>::Input;
};

/// The result of a handler: 201 with this data.
template <class T>
struct Created {
  /// This data.
  Created(T data) : value(std::move(data)) {}
  T value;  ///< the data of the response
};

/// The result of a handler: 202 with this data.
template <class T>
struct Accepted {
  /// This data.
  Accepted(T data) : value(std::move(data)) {}
  T value;  ///< the data of the response
};

/// The result of a handler: 204.
struct NoContent {};

/// The result of a handler: this status with this data, or without a body.
template <int kStatus, class T = void>
struct Status {
  static_assert(kStatus >= 200 && kStatus <= 599, "the status of a response is 200 to 599");
  static_assert(kStatus != 204 && kStatus != 205 && kStatus != 304,
                "a response with status 204, 205 or 304 has no body: use fw::Status<N> without a "
                "type");
  /// This data.
  Status(T data) : value(std::move(data)) {}
  T value;  ///< the data of the response
};
template <int kStatus>
struct Status<kStatus, void> {
  static_assert(kStatus >= 200 && kStatus <= 599, "the status of a response is 200 to 599");
};

/// Handles a request. Called by several threads at a time.
using Handler = std::function<void(Request&, Response&)>;

namespace detail {

/// A type that a handler takes.
struct HandlerInput {
  Location location;
  TypeReference type;
};

/// The data of a result as JSON.
template <class T>
constexpr bool is_result_data() {
  if constexpr (std::is_pointer_v<T> && !std::convertible_to<T, std::string_view>) {
    return false;
  } else if constexpr (Encodable<T> || InlineJson<T> || WrittenByGeneratedCode<T>) {
    return true;
  } else {
    static_assert(sizeof(JsonFor<T>) > 0, "include <fairway/json.hpp>");
    return std::convertible_to<T, JsonFor<T>>;
  }
}
template <class T>
inline constexpr bool kIsResultData = is_result_data<T>();

/// How a result is sent.
template <class T>
struct Result {
  static constexpr bool kIsKnown = kIsResultData<T>;
  static const std::type_info* find_missing() { return find_missing_code<T>(); }
  static void send(Response& res, T&& data) { res.json(std::forward<T>(data), 200); }
};

template <class... Types>
struct Result<Events<Types...>> {
  static constexpr bool kIsKnown = (EventData<Types> && ...);
  static const std::type_info* find_missing() {
    const std::type_info* missing = nullptr;
    static_cast<void>(((missing = find_missing_code<Types>()) || ...));
    return missing;
  }
  static StreamSchema stream() {
    return events({EventSchema(event_name<Types>(), type<Types>)...});
  }
  static void send(Response& res, Events<Types...>&& result) { result.open(res.events()); }
};
template <class T>
struct Result<Lines<T>> {
  static constexpr bool kIsKnown = EventData<T>;
  static const std::type_info* find_missing() { return find_missing_code<T>(); }
  static StreamSchema stream() { return lines(type<T>); }
  static void send(Response& res, Lines<T>&& result) { result.open(res.lines()); }
};

template <int kStatus, class T>
struct ResultWithStatus {
  static constexpr bool kIsKnown = kIsResultData<T>;
  static const std::type_info* find_missing() { return find_missing_code<T>(); }
  template <class Whole>
  static void send(Response& res, Whole&& result) {
    res.json(std::move(result.value), kStatus);
  }
};
template <int kStatus>
struct ResultWithStatus<kStatus, void> {
  static constexpr bool kIsKnown = true;
  static const std::type_info* find_missing() { return nullptr; }
  template <class Whole>
  static void send(Response& res, Whole&&) {
    res.status(kStatus).end();
  }
};
template <class T>
struct Result<Created<T>> : ResultWithStatus<201, T> {};
template <class T>
struct Result<Accepted<T>> : ResultWithStatus<202, T> {};
template <>
struct Result<NoContent> : ResultWithStatus<204, void> {};
template <int kStatus, class T>
struct Result<Status<kStatus, T>> : ResultWithStatus<kStatus, T> {};

template <class... Alternatives>
struct Result<std::variant<Alternatives...>> {
  static constexpr bool kIsKnown = (Result<Alternatives>::kIsKnown && ...);
  static const std::type_info* find_missing() {
    const std::type_info* missing = nullptr;
    static_cast<void>(((missing = Result<Alternatives>::find_missing()) || ...));
    return missing;
  }
  static void send(Response& res, std::variant<Alternatives...>&& result) {
    std::visit(
        [&res]<class T>(T&& alternative) {
          Result<std::remove_cvref_t<T>>::send(res, std::forward<T>(alternative));
        },
        std::move(result));
  }
};

/// What a handler may take: its parts of `invoke`, and of the declared inputs.
template <class T>
struct Argument {
  static constexpr bool kIsKnown = false;
};
template <>
struct Argument<Request&> {
  static constexpr bool kIsKnown = true;
  static Request& get(Request& req, Response&) { return req; }
};
template <>
struct Argument<const Request&> : Argument<Request&> {};
template <>
struct Argument<Response&> {
  static constexpr bool kIsKnown = true;
  static Response& get(Request&, Response& res) { return res; }
};

template <class View, class T, Location kAt>
struct InputArgument {
  static constexpr bool kIsKnown = true;
  static View get(Request& req, Response&) {
    return View(static_cast<const TypedValueOf<T>&>(req.typed_input(typeid(T), kAt)).value);
  }
  static void declare(std::vector<HandlerInput>& inputs) { inputs.push_back({kAt, type<T>}); }
};
template <class T>
struct Argument<Param<T>> : InputArgument<Param<T>, T, Location::param> {};
template <class T>
struct Argument<Query<T>> : InputArgument<Query<T>, T, Location::query> {};
template <class T>
struct Argument<Header<T>> : InputArgument<Header<T>, T, Location::header> {};
template <class T>
struct Argument<Cookie<T>> : InputArgument<Cookie<T>, T, Location::cookie> {};
template <class T>
struct Argument<Body<T>> : InputArgument<Body<T>, T, Location::body> {};
template <class T>
struct Argument<const T&> : Argument<T> {};
template <class T>
struct Argument<T&&> : Argument<T> {};
template <class T>
struct Argument<const T> : Argument<T> {};

/// What distinguishes the arguments of which a handler may have one each.
template <class T>
inline constexpr int kArgumentSlot = -1;
template <>
inline constexpr int kArgumentSlot<Request> = 5;
template <>
inline constexpr int kArgumentSlot<Response> = 6;
template <class T>
inline constexpr int kArgumentSlot<Param<T>> = static_cast<int>(Location::param);
template <class T>
inline constexpr int kArgumentSlot<Query<T>> = static_cast<int>(Location::query);
template <class T>
inline constexpr int kArgumentSlot<Header<T>> = static_cast<int>(Location::header);
template <class T>
inline constexpr int kArgumentSlot<Cookie<T>> = static_cast<int>(Location::cookie);
template <class T>
inline constexpr int kArgumentSlot<Body<T>> = static_cast<int>(Location::body);

template <class... Arguments>
constexpr bool are_different() {
  unsigned seen = 0;
  [[maybe_unused]] const auto add = [&seen](int slot) {
    const unsigned bit = slot < 0 ? 0 : 1U << static_cast<unsigned>(slot);
    const bool is_new = (seen & bit) == 0;
    seen |= bit;
    return is_new;
  };
  return (add(kArgumentSlot<std::remove_cvref_t<Arguments>>) && ...);
}

/// The parameters and the result of a callable that is not overloaded.
template <class Function>
struct Signature;
template <class R, class... Arguments>
struct Signature<R(Arguments...)> {
  using Returned = R;
  static constexpr bool kTakesKnown = (Argument<Arguments>::kIsKnown && ...);
  static constexpr bool kTakesEachOnce = are_different<Arguments...>();

  static void declare(std::vector<HandlerInput>& inputs) {
    [[maybe_unused]] const auto declare_one = [&inputs]<class A>(std::type_identity<A>) {
      if constexpr (requires { A::declare(inputs); }) A::declare(inputs);
    };
    (declare_one(std::type_identity<Argument<Arguments>>()), ...);
  }
  template <class F>
  static R invoke(F& handler, Request& req, Response& res) {
    return handler(Argument<Arguments>::get(req, res)...);
  }
};

/// `Type`: the function type of a function, or of a function that is not overloaded of a class.
template <class F>
struct CallType;
template <class R, class... Arguments>
struct CallType<R (*)(Arguments...)> {
  using Type = R(Arguments...);
};
template <class R, class... Arguments>
struct CallType<R (*)(Arguments...) noexcept> : CallType<R (*)(Arguments...)> {};
template <class C, class R, class... Arguments>
struct CallType<R (C::*)(Arguments...)> : CallType<R (*)(Arguments...)> {};
template <class C, class R, class... Arguments>
struct CallType<R (C::*)(Arguments...)&> : CallType<R (*)(Arguments...)> {};
template <class C, class R, class... Arguments>
struct CallType<R (C::*)(Arguments...) const> : CallType<R (*)(Arguments...)> {};
template <class C, class R, class... Arguments>
struct CallType<R (C::*)(Arguments...) const&> : CallType<R (*)(Arguments...)> {};
template <class C, class R, class... Arguments>
struct CallType<R (C::*)(Arguments...) noexcept> : CallType<R (*)(Arguments...)> {};
template <class C, class R, class... Arguments>
struct CallType<R (C::*)(Arguments...) & noexcept> : CallType<R (*)(Arguments...)> {};
template <class C, class R, class... Arguments>
struct CallType<R (C::*)(Arguments...) const noexcept> : CallType<R (*)(Arguments...)> {};
template <class C, class R, class... Arguments>
struct CallType<R (C::*)(Arguments...) const & noexcept> : CallType<R (*)(Arguments...)> {};

template <class F>
concept IsFunction = requires { typename CallType<F>::Type; };
template <class F>
concept HasCallOperator = requires { typename CallType<decltype(&F::operator())>::Type; };

/// The old form, which may be overloaded or a template.
template <class F>
struct PlainSignature {
  using Returned = std::invoke_result_t<F&, Request&, Response&>;
  static constexpr bool kTakesKnown = true;
  static constexpr bool kTakesEachOnce = true;

  static void declare(std::vector<HandlerInput>&) {}
  static Returned invoke(F& handler, Request& req, Response& res) { return handler(req, res); }
};

template <class F>
auto signature_of() {
  if constexpr (std::is_invocable_v<F&, Request&, Response&>) {
    return std::type_identity<PlainSignature<F>>();
  } else if constexpr (IsFunction<F>) {
    return std::type_identity<Signature<typename CallType<F>::Type>>();
  } else if constexpr (HasCallOperator<F>) {
    return std::type_identity<Signature<typename CallType<decltype(&F::operator())>::Type>>();
  } else {
    return std::type_identity<void>();
  }
}

template <class R>
inline constexpr bool kIsSent =
    !std::is_void_v<R> && !std::same_as<std::remove_cvref_t<R>, Response>;

}  // namespace detail

/// A handler of any form, with the types that its signature declares. Its parameters are among
/// `fw::Request&`, `fw::Response&`, `fw::Param<T>`, `fw::Query<T>`, `fw::Header<T>`,
/// `fw::Cookie<T>` and `fw::Body<T>`, each at most once and in any order. Its result is void, or is
/// sent unless the handler has sent a response: data (200), `fw::Created<T>`, `fw::Accepted<T>`,
/// `fw::NoContent`, `fw::Status<N, T>`, or a std::variant of these; or a stream: `fw::Events<T…>`
/// or `fw::Lines<T>`.
class RouteHandler {
 public:
  RouteHandler() = default;  ///< empty: cannot be registered
  /// Any callable that fits. It must be copyable.
  template <class F>
    requires(!std::same_as<F, RouteHandler>)
  RouteHandler(F handler) {
    using Found = typename decltype(detail::signature_of<F>())::type;
#ifndef FAIRWAY_ROUTE_COMPILER  // the route compiler has a better message for these
    constexpr bool kIsCallable = !std::is_void_v<Found>;
    static_assert(
        kIsCallable,
        "a handler must be callable with its parameters: fw::Request&, fw::Response&, "
        "fw::Param<T>, fw::Query<T>, fw::Header<T>, fw::Cookie<T> and fw::Body<T>, each at "
        "most once; a generic lambda or an overloaded class takes (fw::Request&, "
        "fw::Response&)");
#endif
    if constexpr (!std::is_void_v<Found>) accept<Found>(std::move(handler));
  }

  /// The handler, which calls the one that was given.
  const Handler& get() const { return handler_; }
  /// @{
  /// For the framework: what the signature declares.
  const std::vector<detail::HandlerInput>& inputs() const { return inputs_; }
  const std::type_info* find_missing_result() const { return find_missing_(); }
  const std::optional<StreamSchema>& stream() const { return stream_; }
  /// @}

 private:
  template <class Found, class F>
  void accept(F handler) {
    using Returned = typename Found::Returned;
    using Result = detail::Result<std::remove_cvref_t<Returned>>;
#ifndef FAIRWAY_ROUTE_COMPILER
    static_assert(Found::kTakesKnown,
                  "a parameter of a handler is fw::Request&, fw::Response&, fw::Param<T>, "
                  "fw::Query<T>, fw::Header<T>, fw::Cookie<T> or fw::Body<T>");
    static_assert(Found::kTakesEachOnce,
                  "a handler takes fw::Request&, fw::Response&, fw::Param<T>, fw::Query<T>, "
                  "fw::Header<T>, fw::Cookie<T> and fw::Body<T> at most once each");
#endif
    if constexpr (Found::kTakesKnown && Found::kTakesEachOnce) {
      if constexpr (requires { handler == nullptr; }) {
        if (handler == nullptr) return;
      }
      Found::declare(inputs_);
      if constexpr (std::is_invocable_v<F&, Request&, Response&> && !detail::kIsSent<Returned>) {
        handler_ = std::move(handler);
      } else if constexpr (!detail::kIsSent<Returned>) {
        handler_ = [call = std::move(handler)](Request& req, Response& res) mutable {
          static_cast<void>(Found::invoke(call, req, res));
        };
      } else {
#ifndef FAIRWAY_ROUTE_COMPILER
        static_assert(
            Result::kIsKnown,
            "a handler returns void, data that can be JSON, fw::Created<T>, "
            "fw::Accepted<T>, fw::NoContent, fw::Status<N, T>, or a std::variant of these; or a "
            "stream: fw::Events<...> or fw::Lines<T>");
#endif
        if constexpr (Result::kIsKnown) {
          find_missing_ = Result::find_missing;
          if constexpr (requires { Result::stream(); }) stream_ = Result::stream();
          handler_ = [call = std::move(handler)](Request& req, Response& res) mutable {
            std::remove_cvref_t<Returned> result = Found::invoke(call, req, res);
            if (!res.is_sent()) Result::send(res, std::move(result));
          };
        }
      }
    }
  }

  Handler handler_;
  std::vector<detail::HandlerInput> inputs_;
  std::optional<StreamSchema> stream_;
  const std::type_info* (*find_missing_)() = [] {
    return static_cast<const std::type_info*>(nullptr);
  };
};

}  // namespace fw
