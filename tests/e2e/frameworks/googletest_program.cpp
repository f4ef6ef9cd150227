#include <fairway/app_table.hpp>
#include <fairway/testing.hpp>

#include <gtest/gtest.h>

TEST(Response, IsNotTheExpectedOne) {
  fw::testing::TestApp app(fairway_app());
  EXPECT_EQ(app.request("GET", "/hello/ada").send(), 200);
  EXPECT_EQ(app.request("GET", "/hello/ada").send(), 418);
}
