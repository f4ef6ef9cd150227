// Right uses of the sockets of `../sockets/src`, and wrong ones, which must not compile.
import { SocketClosed, SocketsClient } from "./sockets.js";

const client = new SocketsClient({
  baseUrl: "https://api.test",
  webSocket: (url, protocols) => new (globalThis as any).WebSocket(url, protocols),
});

/** Fails to compile unless both types are the same. */
function same<A>() {
  return <B>(_value: B & ([A, B] extends [B, A] ? unknown : never)): void => {};
}

export async function rightUses(signal: AbortSignal): Promise<void> {
  const room = client.room({ path: { id: 7 }, query: { name: "a" } }, { signal, reconnect: true });
  room.send("say", { text: "hello" });
  room.send("typing");
  room.send("typing", {});
  const leave: () => void = room.on("said", (message) => {
    same<"said">()(message.type);
    same<string>()(message.text);
    same<"good" | "bad">()(message.mood);
  });
  leave();
  room.on("joined", ({ by }) => same<string | undefined>()(by));
  room.onFailure(({ received, errors }) => [received, errors[0]?.field]);
  for await (const message of room) {
    if (message.type === "said") same<string>()(message.by);
    else if (message.type === "joined") same<string | undefined>()(message.by);
    else same<"typing">()(message.type);
  }
  const { code } = await room.closed;
  same<number>()(code);
  room.close(4000, "over");

  const echo = client.echo();
  echo.send("text", "hello");
  echo.send("binary", new Uint8Array(3));
  echo.on("text", (text) => same<string>()(text));
  for await (const message of echo) {
    if (message.type === "text") same<string>()(message.data);
  }
  const board = client.board({ headers: { "x-player": "a" } });
  board.send("move", { x: 1, y: 2 });
  board.on("move", ({ x, y }) => same<number>()(x + y));
  if (new Error() instanceof SocketClosed) return;
}

export async function wrongUses(): Promise<void> {
  const room = client.room({ path: { id: 7 } });
  // @ts-expect-error there is no such message
  room.send("shout", { text: "hello" });
  // @ts-expect-error the data is missing
  room.send("say");
  // @ts-expect-error another member
  room.send("say", { words: "hello" });
  // @ts-expect-error a message that the service sends
  room.send("said", { by: "a", text: "b", mood: "good" });
  // @ts-expect-error a message that the client sends
  room.on("say", () => undefined);
  // @ts-expect-error a member of another message
  for await (const message of room) if (message.type === "joined") message.mood;
  // @ts-expect-error the path is missing
  client.room();
  // @ts-expect-error a socket is not a promise
  room.then(() => undefined);
}
