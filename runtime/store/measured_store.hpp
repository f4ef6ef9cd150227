// A store whose operations are measured.
#pragma once

#include <fairway/store.hpp>

#include <cstddef>
#include <memory>

#include "observe/store_metrics.hpp"

namespace fw::store {

/// Counts what it passes on to `store` as operations of the store with this index. The metrics must
/// outlive it.
std::shared_ptr<Store> measured_store(std::shared_ptr<Store> store, detail::StoreMetrics& metrics,
                                      std::size_t index);

}  // namespace fw::store
