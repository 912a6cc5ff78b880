/**
 * One tab as a person uses it, over a driver: elements are found by role and accessible name, pressed with a pointer
 * and typed into with keys. Every step waits for what it needs.
 */
import type { ActionSequence, Driver } from "./driver.ts";
import { type ElementQuery, type FoundElement, finderScript } from "./finder.ts";
import { keys } from "./key-values.ts";

const WAIT_MS = 60_000;
const POLL_MS = 30;

export interface Tab {
  driver: Driver;
  open(path: string): Promise<void>;
  /** Waits until an element that matches the query is visible. */
  see(query: ElementQuery): Promise<void>;
  seeGone(query: ElementQuery): Promise<void>;
  seePath(path: string): Promise<void>;
  seeFocus(query: ElementQuery): Promise<void>;
  /** Presses the primary button on the element's middle, once it does not move, is enabled and nothing covers it. */
  click(query: ElementQuery): Promise<void>;
  /** Clicks the field and replaces its content. */
  fill(query: ElementQuery, text: string): Promise<void>;
  type(text: string): Promise<void>;
  /** Presses keys; all but the last are held meanwhile, e.g. `press("Shift", "Tab")`. */
  press(...names: (keyof typeof keys)[]): Promise<void>;
  /** The element's visible text. */
  text(query: ElementQuery): Promise<string>;
  /** The value of a field. */
  value(query: ElementQuery): Promise<string>;
  /** Waits until the expression is true in the page. */
  until(expression: string): Promise<void>;
}

export function openTab(driver: Driver, origin: string): Tab {
  const poll = async <T>(what: string, look: () => Promise<T | null>): Promise<T> => {
    const until = performance.now() + WAIT_MS;
    let last = "";
    for (;;) {
      // Evaluating in a page that is just being replaced fails; the next attempt reads the new page.
      const seen = await look().catch((error: unknown) => {
        last = String(error);
        return null;
      });
      if (seen !== null) return seen;
      if (performance.now() > until) throw new Error(`timed out waiting for ${what} at ${await whereAbouts()} ${last}`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  };
  const whereAbouts = () => driver.evaluate("location.pathname").then(String, () => "a page that does not answer");
  const find = async (query: ElementQuery) => (await driver.evaluate(finderScript(query))) as FoundElement | null;
  const seen = (query: ElementQuery) => poll(nameOf(query), () => find(query));
  const until = async (expression: string) =>
    void (await poll(expression, async () => ((await driver.evaluate(expression)) === true ? true : null)));
  const tab: Tab = {
    driver,
    open: (path) => driver.open(`${origin}${path}`),
    see: async (query) => void (await seen(query)),
    seeGone: async (query) =>
      void (await poll(`the end of ${nameOf(query)}`, async () => ((await find(query)) === null ? true : null))),
    seePath: (path) => until(`location.pathname === ${JSON.stringify(path)}`),
    seeFocus: async (query) =>
      void (await poll(`the focus of ${nameOf(query)}`, async () => ((await find(query))?.hasFocus ? true : null))),
    async click(query) {
      const { x, y } = await poll(`${nameOf(query)} that can be pressed`, async () => {
        const found = await find(query);
        return found?.canBePressed ? found : null;
      });
      await driver.perform([pointerClick(x, y)]);
    },
    async fill(query, text) {
      await tab.click(query);
      await tab.seeFocus(query);
      await tab.press("Control", "a");
      await tab.press("Delete");
      // Long texts are pasted, as people do; typing them would take seconds.
      if (text.length < 100 && !text.includes("\n")) await tab.type(text);
      else await driver.evaluate(`document.execCommand("insertText", false, ${JSON.stringify(text)})`);
    },
    type: (text) => driver.perform([keyPresses([...text])]),
    press(...names) {
      const values = names.map((name) => keys[name]);
      const down = values.map((value) => ({ type: "keyDown", value }));
      const up = values.toReversed().map((value) => ({ type: "keyUp", value }));
      return driver.perform([{ type: "key", id: "keyboard", actions: [...down, ...up] }]);
    },
    text: async (query) => (await seen(query)).text,
    value: async (query) => (await seen(query)).value,
    until,
  };
  return tab;
}

const nameOf = ({ role, name, within }: ElementQuery): string =>
  `${role} "${name ?? ""}"${within === undefined ? "" : ` in ${nameOf(within)}`}`;

function pointerClick(x: number, y: number): ActionSequence {
  const actions: ActionSequence["actions"] = [
    { type: "pointerMove", x, y, duration: 0 },
    { type: "pointerDown", button: 0 },
    { type: "pointerUp", button: 0 },
  ];
  return { type: "pointer", id: "mouse", actions };
}

function keyPresses(characters: readonly string[]): ActionSequence {
  const actions = characters.flatMap((value) => [
    { type: "keyDown", value },
    { type: "keyUp", value },
  ]);
  return { type: "key", id: "keyboard", actions };
}
