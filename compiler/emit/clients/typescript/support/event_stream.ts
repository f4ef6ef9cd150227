/** What an event or a line may have at most, in characters. */
const longestItem = 16 * 2 ** 20;

/** Reads the items of a stream, over several connections. */
interface StreamReader {
  readonly mediaType: string;
  /** Whether another connection continues the stream. */
  readonly resumes: boolean;
  /** Milliseconds that the service asks to wait before another connection. */
  readonly retry: number | undefined;
  /** Begins a connection, and adds to the headers of its request. */
  begin(headers: Headers): void;
  push(text: string): Iterable<unknown>;
  end(): Iterable<unknown>;
}

function streamReader(title: string, operation: Operation, options: StreamOptions): StreamReader {
  if (operation.reads === "lines") return new LineReader(title);
  return new EventReader(title, operation.events ?? [], options.lastEventId ?? "");
}

/** The bytes of a response; undefined for one without content, which ends the stream. */
async function openStream(
  title: string,
  operation: Operation,
  errors: readonly ErrorClass[],
  response: Response,
  { mediaType }: StreamReader,
): Promise<ReadableStreamDefaultReader<Uint8Array> | undefined> {
  if (!response.ok) throw await readError(title, operation, errors, response);
  if (response.status === 204 || response.status === 205) return undefined;
  const type = response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== mediaType || !response.body) {
    response.body?.cancel().catch(() => undefined);
    throw new TransportError("malformed", `${title}: the response is not ${mediaType}`, type);
  }
  return response.body.getReader();
}

function parseItem(title: string, text: string): unknown {
  const item = parseJson(text);
  if (item !== undefined) return item;
  throw new TransportError("malformed", `${title}: an item is not JSON`, text.slice(0, 500));
}

/** The lines of a text that arrives in parts. Lines end with CR LF, LF or CR. */
class LineSplitter {
  #rest = "";
  #followsReturn = false;

  *push(text: string): Generator<string> {
    if (text === "") return;
    let begin = this.#followsReturn && text.startsWith("\n") ? 1 : 0;
    this.#followsReturn = text.endsWith("\r");
    const lineEnd = /\r\n|\r|\n/g;
    lineEnd.lastIndex = begin;
    for (let end = lineEnd.exec(text); end !== null; end = lineEnd.exec(text)) {
      const line = this.#rest + text.slice(begin, end.index);
      this.#rest = "";
      begin = lineEnd.lastIndex;
      yield line;
    }
    this.#rest += text.slice(begin);
  }

  get rest(): string {
    return this.#rest;
  }
}

/** JSON, one value in each line. */
class LineReader implements StreamReader {
  readonly mediaType = "application/x-ndjson";
  readonly resumes = false;
  readonly retry = undefined;
  readonly #title: string;
  #lines = new LineSplitter();

  constructor(title: string) {
    this.#title = title;
  }

  begin(): void {
    this.#lines = new LineSplitter();
  }

  *push(text: string): Generator<unknown> {
    for (const line of this.#lines.push(text)) yield* this.#item(line);
    checkLength(this.#title, this.#lines.rest.length);
  }

  *end(): Generator<unknown> {
    yield* this.#item(this.#lines.rest);
  }

  *#item(line: string): Generator<unknown> {
    checkLength(this.#title, line.length);
    if (line.trim() !== "") yield parseItem(this.#title, line);
  }
}

/** Server-sent events, as the HTML standard of the WHATWG parses them. */
class EventReader implements StreamReader {
  readonly mediaType = "text/event-stream";
  readonly resumes = true;
  retry: number | undefined;
  readonly #title: string;
  readonly #names: readonly string[];
  #lines = new LineSplitter();
  #lastEventId: string;
  // The event that is being read.
  #id: string;
  #event = "";
  #data: string[] = [];
  #length = 0;

  constructor(title: string, names: readonly string[], lastEventId: string) {
    this.#title = title;
    this.#names = names;
    this.#lastEventId = lastEventId;
    this.#id = lastEventId;
  }

  /** An event that the last connection has not completed is lost: the service sends it again. */
  begin(headers: Headers): void {
    this.#lines = new LineSplitter();
    this.#id = this.#lastEventId;
    this.#clear();
    if (this.#lastEventId === "") return;
    const bytes = new TextEncoder().encode(this.#lastEventId);
    headers.set("last-event-id", Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  }

  *push(text: string): Generator<unknown> {
    for (const line of this.#lines.push(text)) {
      if (line === "") yield* this.#dispatch();
      else if (!line.startsWith(":")) this.#readField(line);
    }
    checkLength(this.#title, this.#lines.rest.length + this.#length);
  }

  *end(): Generator<unknown> {}

  #readField(line: string): void {
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + (line[colon + 1] === " " ? 2 : 1));
    if (name === "event") this.#event = value;
    else if (name === "id" && !value.includes("\0")) this.#id = value;
    else if (name === "retry" && /^[0-9]+$/.test(value)) this.retry = Number(value);
    else if (name === "data") {
      this.#data.push(value);
      this.#length += value.length + 1;
      checkLength(this.#title, this.#length);
    }
  }

  *#dispatch(): Generator<unknown> {
    this.#lastEventId = this.#id;
    const [event, data] = [this.#event || "message", this.#data];
    this.#clear();
    // A later version of the service may have other events.
    if (data.length === 0 || !this.#names.includes(event)) return;
    yield { event, data: parseItem(this.#title, data.join("\n")), id: this.#lastEventId };
  }

  #clear(): void {
    this.#event = "";
    this.#data = [];
    this.#length = 0;
  }
}

function checkLength(title: string, length: number): void {
  if (length <= longestItem) return;
  throw new TransportError("malformed", `${title}: an item has more than ${longestItem} characters`);
}
