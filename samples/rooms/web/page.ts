// The page: a chat in one room by a socket, and the list of all rooms by a stream of events.
import { RoomsClient } from "./rooms.js";

const client = new RoomsClient();
type Room = ReturnType<typeof client.room>;
type RoomName = Parameters<typeof client.room>[0]["path"]["name"];

/** Lines of a list; earlier ones are removed. */
const mostLines = 200;

function find<T extends Element>(selector: string, type: new () => T): T {
  const element = document.querySelector(selector);
  if (!(element instanceof type)) throw new Error(`the page has no ${selector}`);
  return element;
}

const state = find("#state", HTMLElement);
const talk = find("#talk", HTMLOListElement);
const list = find("#list", HTMLUListElement);
const say = find("#say", HTMLFormElement);

/** As text, so that nobody writes elements into the page of another. */
function addLine(lines: HTMLElement, text: string): void {
  const line = document.createElement("li");
  line.textContent = text;
  lines.append(line);
  while (lines.childElementCount > mostLines) lines.firstElementChild?.remove();
  lines.scrollTop = lines.scrollHeight;
}

let room: Room | undefined;

function enter(name: RoomName, by: string): void {
  room?.close();
  talk.replaceChildren();
  find("#room", HTMLElement).hidden = false;
  find("#room h2", HTMLElement).textContent = name;
  // The connection is opened again when it is lost, also to another process.
  const entered = client.room(
    { path: { name }, query: { by } },
    { reconnect: true, onOpen: () => show(`You are in the ${name}, ${by}.`) },
  );
  // The room that was left has nothing to say any more.
  const show = (text: string) => {
    if (room === entered) state.textContent = text;
  };
  entered.on("said", (message) => addLine(talk, `${message.by}: ${message.text}`));
  entered.onFailure(({ message }) => show(message));
  // It could not be opened, or the service has closed it with a code that ends reconnection.
  void entered.closed.then(({ code, reason }) => {
    if (room !== entered) return;
    find("#room", HTMLElement).hidden = true;
    show(`You are no longer in the ${name}: ${reason || code}.`);
  });
  room = entered;
}

find("#enter", HTMLFormElement).addEventListener("submit", (event) => {
  event.preventDefault();
  const name = find("#enter select", HTMLSelectElement).value as RoomName;
  enter(name, find("#enter input", HTMLInputElement).value);
});

say.addEventListener("submit", (event) => {
  event.preventDefault();
  const text = find("#say input", HTMLInputElement);
  room?.send("say", { text: text.value });
  text.value = "";
});

async function watch(): Promise<void> {
  for await (const { data } of client.watchRooms()) {
    addLine(list, `${data.by} in the ${data.room}: ${data.text}`);
  }
}

watch().catch((error: unknown) => void (state.textContent = String(error)));
