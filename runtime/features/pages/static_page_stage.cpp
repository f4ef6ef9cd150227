// Pages that are rendered before their requests: `mode` "static" of `frontend` (docs/pages.md).

#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "chain/rendered_page.hpp"
#include "chain/stages.hpp"
#include "errors/messages.hpp"
#include "schema/route_path.hpp"

namespace fw::detail {
namespace {

/// `mode` "static": one rendering for each object of parameters, made from these alone by the
/// build, or here if the templates differ from the build's.
class StaticPageStage : public Stage {
 public:
  StaticPageStage(const Environment& env, const Route& route)
      : env_(env), route_(route), parameters_(parameters_of(route)), rendered_(render()) {}

  void run(Exchange& exchange, const NextStages&) const override {
    const auto rendered = current();
    const auto page = rendered->pages.find(key_of(exchange));
    if (page == rendered->pages.end()) throw status_error(404);
    // Browsers ask every time whether their copy is current.
    exchange.outgoing.freshness.must_revalidate = true;
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

  std::string key_of(const Exchange& exchange) const {
    std::string key;
    for (const std::string& name : parameters_) {
      key += exchange.params.find(name).value_or(std::string_view());
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

}  // namespace

Stages static_page_stage(const StageContext& context) {
  try {
    return one_stage<StaticPageStage>(context.env, *context.route);
  } catch (const std::exception& error) {
    context.error(std::string("the static page cannot be rendered: ") + error.what());
    return {};
  }
}

}  // namespace fw::detail
