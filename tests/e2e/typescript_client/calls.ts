// Right calls of the client of `src`, and wrong ones, which must not compile.
import {
  ApiError,
  attempt,
  type BuyError,
  Error40401,
  EverythingClient,
  type FileInput,
  type GetTreeResponse200,
  Request_,
  SoldOut,
  TransportError,
  ValidationFailure,
} from "./everything.js";

const client = new EverythingClient({ baseUrl: "https://api.test", token: async () => "secret" });
const part = {
  path: { id: 1, part: "lid" },
  query: { "sort-by": "name" },
  headers: { "x-tenant": "t" },
};

/** Fails to compile unless both types are the same. */
function same<A>() {
  return <B>(_value: B & ([A, B] extends [B, A] ? unknown : never)): void => {};
}

export async function rightCalls(file: Blob, signal: AbortSignal): Promise<void> {
  const found = await client.getPart(part, { signal, timeout: 100, retries: 0 });
  same<number>()(found.id);
  same<unknown>()(found.anything);
  same<string[]>()(found.tags);
  same<string | undefined>()(found["two words"]);
  await client.getPart({ ...part, cookies: { theme: "dark" } });
  same<void>()(await client.headThing({ path: { id: "1" } }));
  same<string>()(await client.getText());
  same<Blob>()(await client.getPicture());
  same<Response>()(await client.getEvents({}, { signal }));

  const put = await client.putThing({ path: { id: "1" }, body: { name: "a", sizes: [] } });
  if (put.status === 200) same<number>()(put.data.id);
  else if (put.status === 204) same<undefined>()(put.data);
  else same<string>()(put.data);

  const tree: GetTreeResponse200 = await client.getTree();
  same<string | null | undefined>()(tree.children[0]?.children[0]?.name);
  same<"node" | undefined>()(tree.kind);
  same<number | "a" | "b" | null | undefined>()(tree.either);
  same<number | undefined>()(tree.leaf?.size);

  const photo: FileInput = { data: file, filename: "photo.png" };
  await client.upload({ path: { id: "1" }, form: { photo, more: file } });
  await client.mixed({ path: { id: "1" }, body: { title: "t" } });
  await client.mixed({ path: { id: "1" }, form: { photo: file } });
  await client["import-things"]({ body: "a,b" });
  await client.then_();
  await client.constructor_();
  same<string>()((await client.response()).promise);

  const outcome = await attempt(client.getTree());
  if (outcome.ok) same<GetTreeResponse200>()(outcome.value);
  else if (outcome.error instanceof ValidationFailure)
    same<string>()(outcome.error.fields[0]!.field);
  else if (outcome.error instanceof ApiError) same<number | string>()(outcome.error.code);
  else same<TransportError>()(outcome.error);

  const bought = await attempt(client.buy());
  switch (bought.code) {
    case "SOLD_OUT":
      same<SoldOut>()(bought.error);
      same<"SOLD_OUT">()(bought.error.code);
      break;
    case 40401:
      same<Error40401>()(bought.error);
      break;
    case "REQUEST":
      same<Request_>()(bought.error);
      break;
    case undefined:
      if (bought.ok) same<unknown>()(bought.value);
      else if (bought.error instanceof ApiError) same<number | string>()(bought.error.code);
      else same<TransportError>()(bought.error);
      break;
    default:
      same<never>()(bought);
  }
  const listed: BuyError[] = [];
  await client.buy().catch((error: unknown) => {
    if (error instanceof SoldOut) same<"SOLD_OUT">()(error.code);
    if (error instanceof Error40401) listed.push(error);
  });
  // Any promise has a result.
  const [plain, two] = await Promise.all([attempt(Promise.resolve(7)), client.buy()]);
  if (!plain.ok) same<undefined>()(plain.code);
  same<unknown>()(two);
}

export async function wrongCalls(): Promise<void> {
  // @ts-expect-error an input is missing
  await client.getPart();
  // @ts-expect-error a header is missing
  await client.getPart({ path: part.path, query: part.query });
  // @ts-expect-error an id is a number
  await client.getPart({ ...part, path: { id: "1", part: "lid" } });
  // @ts-expect-error no such text
  await client.getPart({ ...part, query: { ...part.query, state: "ajar" } });
  // @ts-expect-error no such parameter
  await client.getPart({ ...part, query: { ...part.query, stat: "open" } });
  // @ts-expect-error a path parameter is missing
  await client.getFile({ path: {} });
  // @ts-expect-error an operation without parameters takes none
  await client.getTree({ query: { depth: 1 } });
  // @ts-expect-error a member of the body is missing
  await client.putThing({ path: { id: "1" }, body: { name: "a" } });
  // @ts-expect-error a body or a form, not both
  await client.mixed({ path: { id: "1" }, body: { title: "t" }, form: {} });
  // @ts-expect-error neither a body nor a form
  await client.mixed({ path: { id: "1" } });
  // @ts-expect-error a form needs its file
  await client.upload({ path: { id: "1" }, form: {} });
  // @ts-expect-error a file is no text
  await client.upload({ path: { id: "1" }, form: { photo: "photo.png" } });
  // @ts-expect-error no such code
  (await attempt(client.buy())).code === "SOLD_OU";
  // @ts-expect-error the operation has no codes
  same<"SOLD_OUT">()((await attempt(client.getTree())).code);
  // @ts-expect-error no such operation
  await client.getThing();
  // @ts-expect-error no such setting
  new EverythingClient({ retry: 1 });
  // @ts-expect-error the status tells what there is
  (await client.putThing({ path: { id: "1" }, body: { name: "a", sizes: [] } })).data.id;
}
