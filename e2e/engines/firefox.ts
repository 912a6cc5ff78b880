/**
 * Firefox by WebDriver BiDi (https://w3c.github.io/webdriver-bidi/), over the WebSocket that `--remote-debugging-port`
 * opens. Responses are matched to commands by id; no events are subscribed to. Each profile is a user context.
 */
import { findExecutable, makeHome, startBrowserProcess } from "./browser-process.ts";
import type { Driver, Engine, EngineProgram, WindowSize } from "./driver.ts";

const path = findExecutable(["/usr/bin/firefox-esr", "/usr/lib/firefox/firefox"]);

/**
 * Preferences under which only this machine can be reached: loopback is never sent to a proxy, and no program listens
 * on port 9.
 */
const preferences = {
  "network.proxy.type": 1,
  "network.proxy.http": "127.0.0.1",
  "network.proxy.http_port": 9,
  "network.proxy.ssl": "127.0.0.1",
  "network.proxy.ssl_port": 9,
  "widget.gtk.overlay-scrollbars.enabled": false,
};

export const firefox: EngineProgram = {
  name: "Firefox",
  missing: path === null ? "there is no Firefox here (package firefox-esr)" : null,
  start: startFirefox,
};

async function startFirefox(): Promise<Engine> {
  const lines = Object.entries(preferences).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`);
  const home = makeHome({ "profile/user.js": lines.join("\n") });
  const program = startBrowserProcess(home, {
    path: path ?? "",
    args: ["--headless", "--no-remote", "--profile", `${home}/profile`, "--remote-debugging-port=0"],
  });
  const [, url = ""] = await program.waitFor(/WebDriver BiDi listening on (ws:\S+)/);
  const connection = await connect(`${url}/session`);
  await connection.call("session.new", { capabilities: {} });
  return {
    openDriver: (size) => openDriver(connection, size),
    async close() {
      await connection.call("browser.close", {}).catch(() => {});
      await program.end();
    },
  };
}

interface Connection {
  call(method: string, params: object): Promise<Record<string, unknown>>;
}

interface Answer {
  id: number | null;
  type: "success" | "error" | "event";
  result: Record<string, unknown>;
  error: string;
  message: string;
}

async function connect(url: string): Promise<Connection> {
  const socket = new WebSocket(url);
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => resolve());
    socket.addEventListener("error", () => reject(new Error(`no connection to ${url}`)));
  });
  const waiting = new Map<number, (answer: Answer) => void>();
  let lastId = 0;
  socket.addEventListener("message", ({ data }) => {
    const answer = JSON.parse(String(data)) as Answer;
    if (answer.id === null || answer.id === undefined) return;
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });
  socket.addEventListener("close", () => {
    for (const settle of waiting.values())
      settle({ id: null, type: "error", result: {}, error: "connection closed", message: "Firefox has ended" });
  });
  return {
    async call(method, params) {
      const answer = await new Promise<Answer>((resolve) => {
        waiting.set(++lastId, resolve);
        socket.send(JSON.stringify({ id: lastId, method, params }));
      });
      if (answer.type === "success") return answer.result;
      throw new Error(`${method}: ${answer.error}: ${answer.message}`);
    },
  };
}

async function openDriver({ call }: Connection, size: WindowSize): Promise<Driver> {
  const { userContext } = await call("browser.createUserContext", {});
  const { context } = await call("browsingContext.create", { type: "tab", userContext });
  const driver: Driver = {
    open: async (url) => void (await call("browsingContext.navigate", { context, url, wait: "complete" })),
    async evaluate(expression) {
      const json = `(async () => JSON.stringify(await (${expression})) ?? "null")()`;
      const target = { context };
      const answer = await call("script.evaluate", {
        expression: json,
        target,
        awaitPromise: true,
        userActivation: false,
      });
      if (answer.type !== "success") throw new Error(JSON.stringify(answer.exceptionDetails));
      return JSON.parse((answer.result as { value: string }).value) as unknown;
    },
    perform: async (actions) => void (await call("input.performActions", { context, actions })),
    resize: async (viewport) => void (await call("browsingContext.setViewport", { context, viewport })),
    async picture() {
      const { data } = await call("browsingContext.captureScreenshot", { context });
      return Buffer.from(String(data), "base64");
    },
    close: async () => void (await call("browser.removeUserContext", { userContext })),
  };
  await driver.resize(size);
  return driver;
}
