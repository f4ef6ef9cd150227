// Right uses of the streams of `../streams/src`, and wrong ones, which must not compile.
import { type LiveEvent, StreamsClient } from "./streams.js";

const client = new StreamsClient({ baseUrl: "https://api.test" });

/** Fails to compile unless both types are the same. */
function same<A>() {
  return <B>(_value: B & ([A, B] extends [B, A] ? unknown : never)): void => {};
}

export async function rightUses(signal: AbortSignal): Promise<void> {
  for await (const event of client.live({ query: { topic: "a" } }, { signal, lastEventId: "7" })) {
    same<LiveEvent>()(event);
    same<string>()(event.id);
    if (event.event === "created") {
      same<string>()(event.data.name);
      same<"open" | "paid">()(event.data.state);
    } else if (event.event === "tick") {
      same<number>()(event.data);
    } else {
      same<"deleted">()(event.event);
      same<number>()(event.data.id);
    }
  }
  for await (const row of client.rows({ path: { id: 1 } }, { retries: 0 })) same<string>()(row.text);
  for await (const event of client.ask({ body: { question: "?" } })) same<string>()(event.data.text);
  for await (const event of client.moves()) {
    if (event.event === "gone-for-good") same<number>()(event.data.id);
    else same<string>()(event.data.to);
  }
  for await (const { count } of client.counts()) same<number>()(count);
}

export async function wrongUses(): Promise<void> {
  // @ts-expect-error there is no such event
  for await (const event of client.live()) if (event.event === "moved") return;
  // @ts-expect-error a member of another event
  for await (const event of client.live()) if (event.event === "deleted") event.data.name;
  // @ts-expect-error a stream is not a promise
  client.live().then(() => undefined);
  // @ts-expect-error the path is missing
  client.rows();
  // @ts-expect-error no option of other calls
  client.counts({}, { lastEvent: "1" });
}
