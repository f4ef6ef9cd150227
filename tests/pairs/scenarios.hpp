// What single responses do not show: requests that meet each other, stores that fail, and what
// remains after many requests. Each scenario does nothing for applications without its features.
#pragma once

#include "application.hpp"
#include "report.hpp"

namespace pairs {

/// A public route whose keys the client chooses, and two routes with one constant key.
void imitate_keys(Application& app, Report& report);

/// Errors that handlers send as ordinary responses: neither later nor waiting requests get them.
void sent_errors(Application& app, Report& report);
void shared_errors(Application& app, Report& report);
/// A part that the handler sends without a sign of it that the cache observes.
void unobserved_part(Application& app, Report& report);

/// Requests that begin after an invalidation see the new data: those that find an entry, those that
/// miss while the handler runs for an earlier one, and those whose entry was stored incompletely.
void read_after_invalidation(Application& app, Report& report);
void read_after_invalidation_while_running(Application& app, Report& report);
/// An invalidation of another tag leaves the response of a running handler alone.
void unrelated_invalidation(Application& app, Report& report);
/// The same with a store whose n-th call fails, for each n.
void failing_store(Application& app, Report& report);

/// Requests that wait for the response to another one, and whose time is over.
void followers_time_out(Application& app, Report& report);
/// The same over sockets that the clients close.
void followers_disconnect(Application& networked, Report& report);
/// A client that pipelines requests, and another one.
void pipelined_requests(const Plan& plan, Report& report);
/// Requests that wait for one response, and whose heads do not tell so, beside another cached
/// route.
void crowded_run(const Plan& plan, Report& report);
/// Bodies of an upstream that never end, and whose clients leave.
void held_bodies(const Plan& plan, Report& report);
/// The same request over two versions of HTTP.
void other_version(Application& networked, Report& report);
/// A request that waits for the handler of another process.
void other_process(const Plan& plan, Report& report);

/// Bodies that lack what the route requires.
void missing_upload(Application& app, Report& report);
/// Requests above the limit.
void exceed_rate_limit(Application& app, Report& report);
/// Keys of rate limits that clients choose.
void long_limit_keys(Application& app, Report& report);
/// The session of a request that changes its id while another request destroys it.
void destroyed_session(Application& app, Report& report);
/// Requests with random queries.
void random_queries(Application& app, Report& report);
/// An upstream gets the query as the client sent it.
void forwarded_query(Application& app, Report& report);

/// Options that must have an effect or be rejected; for applications of their own.
void check_options(const Plan& plan, Report& report);

}  // namespace pairs
