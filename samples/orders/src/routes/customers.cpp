#include <fairway/routes.hpp>

#include "customers.routes.hpp"
#include "models/customer.hpp"
#include "services/customer_store.hpp"
#include "shared/roles.hpp"

namespace {

struct Page {
  Limit limit;
};

struct ByEmail {
  fw::Field<"email"> email;
};

}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/",
          {
              .auth = roles::kStaff,
              .docs = {.summary = "List customers", .operation_id = "listCustomers"},
          },
          [&app](fw::Query<Page> page) -> std::vector<Customer> {
            return app.services().get<CustomerStore>().list(page->limit);
          });

  app.post("/",
           {
               .middlewares = {"audit-log"},
               .docs = {.summary = "Register a customer", .operation_id = "createCustomer"},
           },
           [&app](fw::Body<NewCustomer> body) -> fw::Created<Customer> {
             auto customer = app.services().get<CustomerStore>().create(*body);
             if (!customer) {
               app.raise({.status = 409,
                          .message = "customer.emailTaken",
                          .details = {{"email", body->email}}});
             }
             return *std::move(customer);
           });

  // An e-mail address in the path arrives percent-decoded: /customers/by-email/ada%40example.com
  app.get(
      "/by-email/:email",
      {
          .auth = roles::kStaff,
          .docs = {.summary = "Find a customer by e-mail address", .operation_id = "findCustomer"},
      },
      [&app](fw::Param<ByEmail> param) -> Customer {
        auto customer = app.services().get<CustomerStore>().find_by_email(param->email);
        if (!customer) app.raise(404, "customer.unknownEmail");
        return *std::move(customer);
      });
});
