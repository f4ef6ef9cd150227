// Pages that are rendered before their requests: `mode` of `frontend` (docs/pages.md).
#include "exchange/rendered_page.hpp"

#include <fairway/errors.hpp>
#include <fairway/store.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "errors/exception_info.hpp"
#include "pipeline/background_thread.hpp"
#include "pipeline/stages.hpp"
#include "pipeline/stored_responses.hpp"
#include "schema/route_path.hpp"

namespace fw::detail {
namespace {

using std::chrono::system_clock;

/// Browsers ask every time whether their copy is current.
constexpr std::string_view kRevalidate = "no-cache";

bool is_page_request(const Exchange& exchange) {
  return exchange.head.method == "GET" || exchange.head.method == "HEAD";
}

/// `mode` "static": one rendering for each object of parameters, made from these alone by the
/// build, or here if the templates are not those of the build.
class StaticPageStage : public Stage {
 public:
  StaticPageStage(const Environment& env, const Route& route)
      : env_(env), route_(route), parameters_(parameters_of(route)), rendered_(render()) {}

  void run(Exchange& exchange, const Rest&) const override {
    const auto rendered = current();
    const auto page = rendered->pages.find(key(Json(exchange.params)));
    if (page == rendered->pages.end()) throw HttpError(404, "Not Found");
    OutgoingResponse& response = exchange.outgoing;
    if (!response.field("cache-control")) response.set_field("cache-control", kRevalidate);
    send_rendered(exchange, 200, page->second, pages::kStaticNonce);
  }

 private:
  struct Rendered {
    std::shared_ptr<const pages::PageSet> from;
    std::map<std::string, std::string> pages;
  };

  static std::vector<std::string> parameters_of(const Route& route) {
    return std::get<schema::RoutePath>(schema::parse_route_path(route.path)).names;
  }

  /// The parameters of the path, compared as they are in it: as strings.
  std::string key(const Json& params) const {
    std::string key;
    for (const std::string& name : parameters_) {
      const auto value = params.find(name);
      if (value == params.end()) throw std::invalid_argument("static_params has no '" + name + "'");
      templates::append_value(key, *value, templates::Escape::none);
      key += '\0';
    }
    return key;
  }

  std::shared_ptr<const Rendered> render() const {
    auto rendered = std::make_shared<Rendered>();
    rendered->from = env_.pages.current();
    const Frontend& options = route_.options.frontend;
    const Json once = Json::array({Json::object()});
    const Json& list = options.static_params.is_array() ? options.static_params : once;
    std::vector<std::string> built = env_.pages.built(*rendered->from, route_.path);
    const bool is_built = built.size() == list.size();
    for (std::size_t i = 0; i < list.size(); ++i) {
      rendered->pages[key(list[i])] =
          is_built ? std::move(built[i])
                   : rendered->from->render_static({.page = options.page.str(),
                                                    .params = list[i],
                                                    .seo = options.seo,
                                                    .renders_body = !options.client_only,
                                                    .hydrates = options.hydration.str() != "none"});
    }
    return rendered;
  }

  /// In development, pages change while the application runs.
  std::shared_ptr<const Rendered> current() const {
    const std::lock_guard lock(mutex_);
    if (rendered_->from != env_.pages.current()) rendered_ = render();
    return rendered_;
  }

  const Environment& env_;
  const Route& route_;
  const std::vector<std::string> parameters_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Rendered> rendered_;
};

/// Has no client: nothing is read or sent.
class DetachedTransaction : public http::Transaction {
 public:
  explicit DetachedTransaction(http::RequestHead head) : head_(std::move(head)) {}

  const http::RequestHead& head() const override { return head_; }
  http::BodyStatus read_body(std::uint64_t, std::string& body) override {
    body.clear();
    return http::BodyStatus::complete;
  }
  http::BodyPart read_body_part(std::uint64_t, std::span<char>,
                                std::chrono::steady_clock::time_point) override {
    return {};
  }
  bool respond(const http::ResponseHead&, std::string_view) override { return false; }
  bool respond_stream(const http::ResponseHead&, std::optional<std::uint64_t>, http::BodyProducer,
                      http::StreamEnd) override {
    return false;
  }
  bool has_response() const override { return false; }
  void on_disconnect(std::function<void()>) override {}

 private:
  http::RequestHead head_;
};

/// A request of the application itself, to render a page that is for nobody in particular: for the
/// target of `original`, without credentials, cookies and other header fields except Host. Its
/// response stays in `outgoing`.
std::shared_ptr<Exchange> detached_exchange(const Exchange& original) {
  http::RequestHead head{.method = "GET",
                         .target = original.head.target,
                         .fields = {},
                         .remote_address = original.head.remote_address,
                         .has_body = false,
                         .content_length = std::nullopt};
  if (const auto host = original.head.fields.find("host")) head.fields.add("host", *host);
  auto exchange = std::make_shared<Exchange>(
      original.env, std::make_shared<DetachedTransaction>(std::move(head)));
  exchange->route = original.route;
  exchange->params = original.params;
  exchange->context.request_id = original.context.request_id;
  exchange->nonce = make_nonce();
  return exchange;
}

/// `mode` "revalidate": the last rendering is sent, and renewed after an interval, once for all
/// requests and without one of them waiting for it.
class RevalidatedPageStage : public Stage {
 public:
  RevalidatedPageStage(StoredResponses& stored, BackgroundThread& background, Stages rendering,
                       std::chrono::seconds interval)
      : stored_(stored),
        background_(background),
        rendering_(std::move(rendering)),
        interval_(interval) {}

  void run(Exchange& exchange, const Rest& rest) const override {
    if (!is_page_request(exchange)) return rest(exchange);
    StoredKey key("GET", exchange.head.target);
    key.append("page ");
    key.append(exchange.env.pages.current()->version());
    const auto now = system_clock::now();
    auto page = find(exchange, key, now);
    if (page && !page->is_stale(now)) return send(exchange, *page, "HIT");
    std::shared_ptr<const StoredResponse> shared;
    using Others = StoredResponses::Others;
    // Shared, because the task of the background thread is a std::function, which copies it.
    std::shared_ptr<StoredResponses::Lead> lead =
        stored_.join(key.full(), page ? Others::proceed : Others::wait,
                     exchange.cancellation()->token(), shared);
    if (page) {
      if (lead) renew(exchange, key, std::move(lead));
      return send(exchange, *page, "STALE");
    }
    if (shared) return send(exchange, *shared, "HIT");
    // Another request may have stored the page since the lookup.
    if (lead && (page = find(exchange, key, now))) {
      lead->publish(page);
      return send(exchange, *page, "HIT");
    }
    const auto rendering = detached_exchange(exchange);
    const auto response = render(*rendering, key);
    if (!response) return pass_on(*rendering, exchange);
    if (lead) lead->publish(response);
    send(exchange, *response, "MISS");
  }

 private:
  /// Old pages are sent as long as they are in the store.
  static constexpr std::chrono::hours kStale{24 * 365};

  /// Runs the handler. Returns and stores the response if it is a page for everyone. Throws what
  /// the handler throws.
  std::shared_ptr<const StoredResponse> render(Exchange& exchange, const StoredKey& key) const {
    const std::string epoch = guarded(exchange, [&] { return stored_.epoch(); });
    Rest{rendering_}(exchange);
    const OutgoingResponse& outgoing = exchange.outgoing;
    if (outgoing.kind != OutgoingResponse::Kind::body || outgoing.status != 200 ||
        outgoing.field("set-cookie") || outgoing.has_csrf_token) {
      return nullptr;
    }
    auto response = std::make_shared<StoredResponse>();
    response->expires = system_clock::now() + interval_;
    response->stale_for = kStale;
    response->body = outgoing.body;
    response->nonce = exchange.nonce;
    response->replacements = outgoing.fields;
    guarded(exchange, [&] { return stored_.put(key, *response, {}, epoch); });
    return response;
  }

  void renew(const Exchange& exchange, const StoredKey& key,
             std::shared_ptr<StoredResponses::Lead> lead) const {
    background_.post([this, key, lead = std::move(lead), rendering = detached_exchange(exchange)] {
      const CurrentContextScope scope(
          rendering->env.config.request_context.enabled ? &rendering->context : nullptr);
      try {
        lead->publish(render(*rendering, key));
      } catch (...) {
        // The next request after this one tries it again.
        rendering->env.logger.error(
            "the page cannot be renewed: " + name_of(*rendering->route),
            Json{{"err", to_log_field(describe(std::current_exception()))}});
      }
    });
  }

  /// The result of `use`; empty if the store fails.
  template <class Use>
  std::invoke_result_t<Use> guarded(const Exchange& exchange, const Use& use) const {
    try {
      return use();
    } catch (const StoreError& error) {
      stored_.count_error();
      if (stored_.may_log_error()) {
        exchange.env.logger.error("the store of pages fails", Json{{"err", error.what()}});
      }
      return {};
    }
  }

  std::shared_ptr<const StoredResponse> find(const Exchange& exchange, const StoredKey& key,
                                             system_clock::time_point now) const {
    return guarded(exchange, [&] { return stored_.find(key, now); });
  }

  static void send(Exchange& exchange, const StoredResponse& page, std::string_view outcome) {
    OutgoingResponse& response = exchange.outgoing;
    for (const auto& field : page.replacements) response.set_field(field.name, field.value);
    if (!response.field("cache-control")) response.set_field("cache-control", kRevalidate);
    response.set_field("x-cache", outcome);
    send_rendered(exchange, page.status, std::string(page.body.view()), page.nonce);
  }

  /// A response that is not stored, such as a redirect.
  static void pass_on(Exchange& from, Exchange& to) {
    to.outgoing.fields.add(from.outgoing.fields);
    to.outgoing.status = from.outgoing.status;
    if (from.outgoing.kind == OutgoingResponse::Kind::body) {
      to.outgoing.repeat(from.outgoing.status);
      to.outgoing.body = std::move(from.outgoing.body);
      if (!from.outgoing.is_page) return;
      to.outgoing.body = with_nonce(to, std::move(to.outgoing.body), from.nonce);
      to.outgoing.is_page = true;
    }
  }

  StoredResponses& stored_;
  BackgroundThread& background_;
  const Stages rendering_;
  const std::chrono::seconds interval_;
};

Stages static_page_stage(const Composition& composition) {
  try {
    return one_stage<StaticPageStage>(composition.env, *composition.route);
  } catch (const std::exception& error) {
    composition.error(std::string("the static page cannot be rendered: ") + error.what());
    return {};
  }
}

}  // namespace

Stages rendered_page_stage(const Composition& composition) {
  if (composition.route == nullptr) return {};
  const Frontend& options = composition.route->options.frontend;
  const auto pages = composition.env.pages.current();
  if (!options.page.empty() && !pages->has(options.page.str())) {
    composition.error("frontend.page: there is no page '" + options.page.str() + "'" +
                      pages->suggestion(options.page.str()));
    return {};
  }
  if (options.mode.str() == "static") return static_page_stage(composition);
  if (options.mode.str() != "revalidate") return {};
  // A page is rendered with an exchange of its own, whose input is not validated yet.
  Stages rendering = validation_stage(composition);
  Stages handler = handler_stage(composition);
  std::move(handler.begin(), handler.end(), std::back_inserter(rendering));
  return one_stage<RevalidatedPageStage>(composition.responses, composition.background,
                                         std::move(rendering),
                                         std::chrono::seconds(options.revalidate.value_or(1)));
}

}  // namespace fw::detail
