/** How many messages wait at most: for a connection, or for a loop that reads them. */
const mostWaitingMessages = 10_000;

/** The code with which a connection ends that was lost, or never was open. */
const lostConnection = 1006;

/** The part of a WebSocket that a client uses. */
export interface WebSocketLike {
  binaryType: string;
  onopen: ((event: any) => void) | null;
  onmessage: ((event: any) => void) | null;
  onclose: ((event: any) => void) | null;
  onerror: ((event: any) => void) | null;
  send(data: string | Uint8Array): void;
  close(code?: number, reason?: string): void;
}

/** Begins a connection. `headers` is empty in browsers, which send none of a script. */
export type WebSocketFactory = (
  url: string,
  protocols: readonly string[],
  headers: Readonly<Record<string, string>>,
) => WebSocketLike;

/** Settings of a client with sockets. */
export interface SocketClientOptions extends ClientOptions {
  /**
   * Used instead of the global `WebSocket`, which Node has since version 22:
   * `(url, protocols, headers) => new WebSocket(url, protocols, { headers })` with the package `ws`.
   */
  readonly webSocket?: WebSocketFactory | undefined;
}

/** Settings of one socket. `timeout` is for the opening; `headers` are not sent by browsers. */
export interface SocketOptions extends Pick<
  ClientOptions,
  "headers" | "requestId" | "trace" | "timeout"
> {
  /** Closes the socket; what waits for it fails with a TransportError, whose reason is "aborted". */
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether the socket connects again after its connection was lost, or the service has gone away,
   * restarts or is overloaded: with the delays of the client's `retryDelay`. Messages in between
   * are lost. Default: false.
   */
  readonly reconnect?: boolean | undefined;
  /**
   * How often in a row it connects again without receiving a message or being open for longer than
   * the client's `maxRetryDelay`. Default: the client's `retries` until it has been open, and then
   * without limit.
   */
  readonly retries?: number | undefined;
  /**
   * Called each time when the socket is open: the service does not know earlier connections. What it
   * sends comes before messages that wait for the connection.
   */
  readonly onOpen?: (() => void) | undefined;
}

/**
 * How a socket was closed: a code of RFC 6455, and the reason that came with it. With 1006, for a
 * lost connection, the reason is the error, as far as it is known.
 */
export interface SocketClose {
  readonly code: number;
  readonly reason: string;
}

/** The socket was closed with another code than 1000 and 1001: by the service, or by the network. */
export class SocketClosed extends Error implements SocketClose {
  override readonly name: string = "SocketClosed";
  readonly code: number;
  readonly reason: string;

  constructor(title: string, { code, reason }: SocketClose) {
    super(`${title}: closed with ${code}${reason === "" ? "" : `: ${reason}`}`);
    this.code = code;
    this.reason = reason;
  }
}

/** What the service did not accept of a message that was sent. */
export interface SocketFailure {
  readonly message: string;
  /** The type of the message that was sent, if the service knows it. */
  readonly received: string | undefined;
  /** What is wrong with each member. */
  readonly errors: readonly FieldFailure[];
}

/** Any text and any bytes, instead of declared messages. */
export interface RawMessages {
  text: string;
  binary: Uint8Array;
}

/** A message that has arrived: the data with its `type`. */
export type MessageOf<Messages> = Messages extends RawMessages
  ? { [Type in keyof RawMessages]: { type: Type; data: RawMessages[Type] } }[keyof RawMessages]
  : { [Type in keyof Messages]: { type: Type } & Messages[Type] }[keyof Messages];

/** What a listener gets. */
type DataOf<Messages, Type extends keyof Messages> = Messages extends RawMessages
  ? Messages[Type]
  : { type: Type } & Messages[Type];

interface SocketOperation {
  readonly path: string;
  readonly protocols: readonly string[];
  readonly sendsRaw?: boolean;
  readonly receivesRaw?: boolean;
}

/**
 * A socket: messages in both directions. It connects at once; messages that are sent before it is
 * open wait for it. Messages that arrive while nobody listens for them are dropped. The loop
 * `for await (const message of socket)` ends with the socket, and throws a SocketClosed or a
 * TransportError if that was not intended.
 */
export class Socket<
  Sends extends object,
  Receives extends object,
> implements AsyncIterable<MessageOf<Receives>> {
  /** Fulfilled when the socket is open for the first time; rejected if it cannot be opened. */
  readonly opened: Promise<void>;
  /** Fulfilled when the socket is closed and does not connect again. */
  readonly closed: Promise<SocketClose>;

  readonly #client: SocketClientOptions;
  readonly #operation: SocketOperation;
  readonly #settings: SocketOptions;
  readonly #input: Input;
  readonly #title: string;
  readonly #listeners = new Map<string, Set<(data: any) => void>>();
  readonly #failureListeners = new Set<(failure: SocketFailure) => void>();
  readonly #readers = new Set<MessageQueue>();
  readonly #waiting: (string | Uint8Array)[] = [];
  readonly #stop = new AbortController();
  #connection: WebSocketLike | undefined;
  #isOpen = false;
  #ownClose: SocketClose | undefined;
  #close = noClose;
  #failure: unknown;

  constructor(
    client: SocketClientOptions,
    operation: SocketOperation,
    input: Input,
    settings: SocketOptions = {},
  ) {
    this.#client = client;
    this.#operation = operation;
    this.#settings = settings;
    this.#input = input;
    const path = fillPath(operation.path, input.path);
    this.#title = `SOCKET ${path}`;
    const url = socketUrl(client, path + queryText(input.query));
    const create = client.webSocket ?? globalWebSocket();
    let open = (): void => {};
    let fail = (_: unknown): void => {};
    this.opened = new Promise((resolve, reject) => {
      open = resolve;
      fail = reject;
    });
    this.opened.catch(() => undefined);
    const abort = (): void => this.#abort();
    settings.signal?.addEventListener("abort", abort, { once: true });
    this.closed = this.#run(create, url, open).then((close) => {
      settings.signal?.removeEventListener("abort", abort);
      fail(this.#failure ?? new SocketClosed(this.#title, close));
      for (const reader of this.#readers) reader.end(this.#endOfLoops());
      this.#readers.clear();
      this.#waiting.length = 0;
      return close;
    });
    if (settings.signal?.aborted) this.#abort();
  }

  /** Whether messages are sent at once. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Sends a message. Throws a SocketClosed when the socket is closed. */
  send<Type extends keyof Sends & string>(
    type: Type,
    ...data: {} extends Sends[Type] ? [data?: Sends[Type]] : [data: Sends[Type]]
  ): void {
    if (this.#stop.signal.aborted) {
      throw this.#failure ?? new SocketClosed(this.#title, this.#ownClose ?? this.#close);
    }
    const content = this.#operation.sendsRaw
      ? (data[0] as unknown as string | Uint8Array)
      : JSON.stringify({ ...data[0], type });
    if (this.#isOpen && this.#connection) return this.#connection.send(content);
    if (this.#waiting.length >= mostWaitingMessages) {
      throw new TransportError("network", `${this.#title}: too many messages wait for a connection`);
    }
    this.#waiting.push(content);
  }

  /** Calls `listener` for each message of a type; the result is a function that ends that. */
  on<Type extends keyof Receives & string>(
    type: Type,
    listener: (message: DataOf<Receives, Type>) => void,
  ): () => void {
    const listeners = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  /** Calls `listener` when the service has not accepted a message that was sent. */
  onFailure(listener: (failure: SocketFailure) => void): () => void {
    this.#failureListeners.add(listener);
    return () => void this.#failureListeners.delete(listener);
  }

  /** The messages that arrive from now on. */
  [Symbol.asyncIterator](): AsyncIterator<MessageOf<Receives>, void, undefined> {
    const queue = new MessageQueue(this.#title, () => this.#readers.delete(queue));
    if (this.#stop.signal.aborted) queue.end(this.#endOfLoops());
    else this.#readers.add(queue);
    return queue as AsyncIterator<MessageOf<Receives>, void, undefined>;
  }

  /** Closes the socket: with 1000, or a code from 3000 to 4999. It does not connect again. */
  close(code = 1000, reason = ""): void {
    if (code !== 1000 && !(code >= 3000 && code <= 4999)) {
      throw new RangeError(`a client cannot close a socket with ${code}`);
    }
    if (this.#stop.signal.aborted) return;
    this.#sendWaiting();
    this.#connection?.close(code, reason);
    this.#ownClose = { code, reason };
    this.#stop.abort();
  }

  /** What loops throw when the socket has ended; undefined if that was intended. */
  #endOfLoops(): unknown {
    const { code } = this.#close;
    const isIntended = this.#ownClose !== undefined || code === 1000 || code === 1001;
    return this.#failure ?? (isIntended ? undefined : new SocketClosed(this.#title, this.#close));
  }

  #abort(): void {
    if (this.#stop.signal.aborted) return;
    const cause: unknown = this.#settings.signal?.reason;
    this.#fail(new TransportError("aborted", `${this.#title}: aborted`, cause));
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    this.#stop.abort();
    this.#connection?.close();
  }

  /** One connection after the other, until there is no other. */
  async #run(create: WebSocketFactory, url: URL, open: () => void): Promise<SocketClose> {
    const reconnection = new Reconnection(this.#client, this.#settings.retries);
    for (;;) {
      reconnection.begin();
      let close = noClose;
      let late: unknown;
      try {
        close = await this.#connect(create, url, reconnection, open);
      } catch (error) {
        // The time, the token, or the constructor.
        if (error instanceof TransportError && error.reason === "timeout") late = error;
        else this.#failure ??= error;
      }
      this.#connection = undefined;
      this.#isOpen = false;
      const mayConnect =
        !this.#stop.signal.aborted &&
        this.#failure === undefined &&
        this.#settings.reconnect === true &&
        passingCodes.has(close.code);
      const wait = mayConnect ? reconnection.next() : undefined;
      if (wait !== undefined) await this.#pause(wait);
      if (wait !== undefined && !this.#stop.signal.aborted) continue;
      if (this.#ownClose === undefined) this.#failure ??= late;
      const error = this.#failure instanceof Error ? this.#failure.message : "";
      this.#close = this.#ownClose ?? withReason(close, error);
      this.#stop.abort();
      return this.#close;
    }
  }

  /** While it is open: what was sent before. */
  #sendWaiting(): void {
    if (!this.#isOpen) return;
    for (const content of this.#waiting.splice(0)) this.#connection?.send(content);
  }

  async #connect(
    create: WebSocketFactory,
    url: URL,
    reconnection: Reconnection,
    open: () => void,
  ): Promise<SocketClose> {
    const headers = await this.#headers(url);
    if (this.#stop.signal.aborted) return noClose;
    const connection = create(url.href, this.#operation.protocols, headers);
    this.#connection = connection;
    connection.binaryType = "arraybuffer";
    const timeout = this.#settings.timeout ?? this.#client.timeout ?? 30_000;
    return new Promise((resolve, reject) => {
      let stopTimer = (): void => undefined;
      const leave = (): void => {
        stopTimer();
        this.#stop.signal.removeEventListener("abort", stop);
        connection.onopen = connection.onmessage = connection.onclose = null;
        // A connection that is closed before it was open may still fail.
        connection.onerror = () => undefined;
      };
      const end = (close: SocketClose): void => {
        leave();
        resolve(close);
      };
      if (timeout > 0 && timeout !== Infinity) {
        stopTimer = afterTime(timeout, () => {
          leave();
          connection.close();
          reject(new TransportError("timeout", `${this.#title}: not open within ${timeout} ms`));
        });
      }
      connection.onopen = () => {
        stopTimer();
        this.#isOpen = true;
        reconnection.opened();
        open();
        try {
          this.#settings.onOpen?.();
        } finally {
          this.#sendWaiting();
        }
      };
      connection.onmessage = ({ data }: { data: unknown }) => {
        reconnection.received();
        this.#receive(data);
      };
      // Browsers do not tell scripts the error; `close` follows.
      let error = "";
      connection.onerror = ({ message }: { readonly message?: unknown }) => {
        if (typeof message === "string") error = message;
      };
      connection.onclose = ({ code, reason }: SocketClose) => {
        error ||= this.#isOpen ? "the connection was lost" : "no connection";
        end(withReason({ code, reason }, error));
      };
      // A service that does not respond must not keep a closed socket.
      const stop = (): void => {
        if (!this.#isOpen) end(noClose);
        else stopTimer = afterTime(5_000, () => end(noClose));
      };
      this.#stop.signal.addEventListener("abort", stop);
    });
  }

  async #headers(url: URL): Promise<Record<string, string>> {
    const { token, headers: common } = this.#client;
    const headers = new Map<string, string>();
    const set = (name: string, value: string): void => void headers.set(name.toLowerCase(), value);
    const value = typeof token === "function" ? await token() : token;
    const own = present(this.#input.headers);
    const cookies = present(this.#input.cookies).map(
      ([name, each]) => `${name}=${encodeURIComponent(textOf(each))}`,
    );
    if (isBrowser() && !this.#client.webSocket) {
      const lost = value !== undefined ? "a token" : own[0] ? `the header '${own[0][0]}'` : undefined;
      if (lost === undefined && cookies.length === 0) return {};
      throw new TypeError(
        `${this.#title}: a browser does not send ${lost ?? "cookies of a script"} with a socket; ` +
          "use the cookie of a session, or the query",
      );
    }
    for (const [name, text] of Object.entries(common ?? {})) set(name, text);
    if (value !== undefined) set("authorization", `Bearer ${value}`);
    for (const [name, text] of callHeaders(this.#client, this.#settings)) set(name, text);
    for (const [name, text] of Object.entries(this.#settings.headers ?? {})) set(name, text);
    for (const [name, text] of own) set(name, headerText(name, text));
    const declared = cookies.join("; ") || (headers.get("cookie") ?? "");
    const all = this.#client.cookies?.header(url, declared) ?? declared;
    if (all !== "") set("cookie", all);
    return Object.fromEntries(headers);
  }

  #receive(data: unknown): void {
    if (this.#operation.receivesRaw) {
      const isText = typeof data === "string";
      const content = isText ? data : new Uint8Array(data as ArrayBuffer);
      const type = isText ? "text" : "binary";
      this.#dispatch(type, content, { type, data: content });
      return;
    }
    const message = typeof data === "string" ? parseJson(data) : undefined;
    if (!isRecord(message) || typeof message["type"] !== "string") {
      const text = typeof data === "string" ? data.slice(0, 500) : undefined;
      this.#fail(new TransportError("malformed", `${this.#title}: a message is not JSON`, text));
      return;
    }
    if (message["type"] === "error") return this.#receiveFailure(message);
    this.#dispatch(message["type"], message, message);
  }

  #receiveFailure(message: Readonly<Record<string, unknown>>): void {
    const { message: text, received, errors } = message;
    const isFailure = (item: unknown): item is FieldFailure =>
      isRecord(item) && typeof item["field"] === "string" && typeof item["message"] === "string";
    const failure: SocketFailure = {
      message: typeof text === "string" ? text : "",
      received: typeof received === "string" ? received : undefined,
      errors: Array.isArray(errors) ? errors.filter(isFailure) : [],
    };
    callEach(this.#failureListeners, failure);
  }

  #dispatch(type: string, data: unknown, message: unknown): void {
    callEach(this.#listeners.get(type), data);
    for (const reader of this.#readers) reader.push(message);
  }

  async #pause(milliseconds: number): Promise<void> {
    const { signal } = this.#stop;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        stopTimer();
        signal.removeEventListener("abort", end);
        resolve();
      };
      const stopTimer = afterTime(milliseconds, end);
      signal.addEventListener("abort", end);
    });
  }
}

/**
 * Calls the listeners that there are now, as an EventTarget does: one that throws is an uncaught
 * error, and keeps no message from the others.
 */
function callEach<Data>(listeners: Set<(data: Data) => void> | undefined, data: Data): void {
  for (const listener of [...(listeners ?? [])]) {
    if (!listeners?.has(listener)) continue;
    try {
      listener(data);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}

const noClose: SocketClose = { code: lostConnection, reason: "" };

/** A lost connection has no reason but the error. */
function withReason(close: SocketClose, error: string): SocketClose {
  const { code, reason } = close;
  return code === lostConnection && reason === "" ? { code, reason: error } : close;
}

/** Going away, a lost connection, an internal error, a restart, and overload. */
const passingCodes = new Set([1001, lostConnection, 1011, 1012, 1013]);

/** The messages of one loop. */
class MessageQueue implements AsyncIterator<unknown, void, undefined> {
  readonly #title: string;
  readonly #leave: () => void;
  readonly #messages: unknown[] = [];
  #isOver = false;
  #error: unknown;
  #wake: (() => void) | undefined;
  /** The last call of `next`: calls wait for each other, as calls of a generator do. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(title: string, leave: () => void) {
    this.#title = title;
    this.#leave = leave;
  }

  push(message: unknown): void {
    if (this.#isOver) return;
    if (this.#messages.length >= mostWaitingMessages) {
      this.#leave();
      return this.end(
        new TransportError("network", `${this.#title}: messages arrive faster than they are read`),
      );
    }
    this.#messages.push(message);
    this.#wake?.();
  }

  end(error: unknown): void {
    this.#isOver = true;
    this.#error = error;
    this.#wake?.();
  }

  next(): Promise<IteratorResult<unknown, void>> {
    const result = this.#last.then(() => this.#take());
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #take(): Promise<IteratorResult<unknown, void>> {
    while (this.#messages.length === 0) {
      if (this.#isOver) {
        const error = this.#error;
        this.#error = undefined;
        if (error !== undefined) throw error;
        return { done: true, value: undefined };
      }
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    return { done: false, value: this.#messages.shift() };
  }

  async return(): Promise<IteratorResult<unknown, void>> {
    this.#leave();
    this.#messages.length = 0;
    this.end(undefined);
    return { done: true, value: undefined };
  }
}

function isBrowser(): boolean {
  return "location" in globalThis;
}

function socketUrl(client: ClientOptions, path: string): URL {
  const url = absolute((client.baseUrl ?? "").replace(/\/+$/, "") + path);
  url.protocol = url.protocol === "https:" || url.protocol === "wss:" ? "wss:" : "ws:";
  return url;
}

/** The global constructor. Outside of browsers, it takes headers in Node, Deno and Bun. */
function globalWebSocket(): WebSocketFactory {
  type Constructor = new (url: string, options: unknown) => WebSocketLike;
  const { WebSocket } = globalThis as unknown as { readonly WebSocket?: Constructor };
  if (WebSocket === undefined) {
    throw new TypeError("there is no global WebSocket: set 'webSocket' in the client's options");
  }
  return (url, protocols, headers) =>
    new WebSocket(url, isBrowser() ? protocols : { protocols, headers });
}
