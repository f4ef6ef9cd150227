namespace detail {

template <class Event>
void read_events(Transport& transport, const Call& call, std::span<const EventKind<Event>> kinds,
                 const StreamOptions& options, const std::function<bool(Event)>& handle) {
  EventReader<Event> reader(call.operation(), kinds, options.last_event_id, handle);
  transport.receive(call, options, reader);
}

template <class Item>
void read_lines(Transport& transport, const Call& call, const StreamOptions& options,
                const std::function<bool(Item)>& handle) {
  LineReader<Item> reader(call.operation(), handle);
  transport.receive(call, options, reader);
}

template <class Event>
Stream<Event> open_events(Transport& transport, Call call, std::span<const EventKind<Event>> kinds,
                          const StreamOptions& options) {
  return Stream<Event>(
      [&transport, call = std::move(call), kinds, own = options](
          std::stop_token stop, const std::function<bool(Event)>& handle) mutable {
        own.stop = std::move(stop);
        read_events(transport, call, kinds, own, handle);
      },
      options.stop);
}

template <class Item>
Stream<Item> open_lines(Transport& transport, Call call, const StreamOptions& options) {
  return Stream<Item>(
      [&transport, call = std::move(call), own = options](
          std::stop_token stop, const std::function<bool(Item)>& handle) mutable {
        own.stop = std::move(stop);
        read_lines(transport, call, own, handle);
      },
      options.stop);
}

}  // namespace detail
