/**
 * WebKitGTK by its WebDriver (https://www.w3.org/TR/webdriver2/) with the MiniBrowser of the same package, on a virtual
 * display. It does not support BiDi. Each profile is a WebDriver session, that is a new window without stored data.
 */
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { findExecutable, makeHome, startBrowserProcess } from "./browser-process.ts";
import type { Driver, Engine, EngineProgram, WindowSize } from "./driver.ts";

const driverPath = findExecutable(["/usr/bin/WebKitWebDriver"]);
const displayPath = findExecutable(["/usr/bin/Xvfb"]);
const browserPath = findMiniBrowser();

export const webkit: EngineProgram = { name: "WebKitGTK", missing: whyMissing(), start: startWebkit };

/**
 * @returns the path of the MiniBrowser, in a folder whose name depends on the architecture and the library's version
 */
function findMiniBrowser(): string | null {
  const folders = readdirNames("/usr/lib").flatMap((name) =>
    readdirNames(join("/usr/lib", name))
      .filter((inner) => inner.startsWith("webkit"))
      .map((inner) => join("/usr/lib", name, inner)),
  );
  return findExecutable(folders.map((folder) => join(folder, "MiniBrowser")));
}

function readdirNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function whyMissing(): string | null {
  if (driverPath === null || browserPath === null)
    return "there is no WebKitWebDriver with its MiniBrowser here (package webkit2gtk-driver)";
  return displayPath === null ? "there is no Xvfb here, which WebKitGTK's windows need (package xvfb)" : null;
}

/** Style sheet that hides the MiniBrowser's toolbar, which would keep its windows at least 447 pixels wide. */
const toolbarStyle = `* {
  min-width: 0; min-height: 0; margin: 0; padding: 0; font-size: 1px; -gtk-icon-transform: scale(0.1);
}`;

async function startWebkit(): Promise<Engine> {
  const screen = ["-displayfd", "1", "-screen", "0", "1600x1200x24", "-nolisten", "tcp"];
  const display = startBrowserProcess(makeHome(), { path: displayPath ?? "", args: screen });
  const [, number = ""] = await display.waitFor(/^(\d+)\n/m);
  const port = await freePort();
  const program = startBrowserProcess(makeHome({ ".config/gtk-3.0/gtk.css": toolbarStyle }), {
    path: driverPath ?? "",
    args: [`--port=${port}`, "--host=127.0.0.1"],
    environment: { DISPLAY: `:${number}`, GDK_BACKEND: "x11", NO_AT_BRIDGE: "1", LANG: "C.UTF-8" },
  });
  const call = callerOf(`http://127.0.0.1:${port}`);
  await waitUntilReady(call);
  return {
    openDriver: (size) => openDriver(call, size),
    async close() {
      await program.end();
      await display.end();
    },
  };
}

type Call = (method: "GET" | "POST" | "DELETE", path: string, body?: object) => Promise<unknown>;

/** @returns a function that sends a command and throws with WebDriver's error code and message */
function callerOf(origin: string): Call {
  return async (method, path, body) => {
    const answer = await fetch(`${origin}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const { value } = (await answer.json()) as { value: unknown };
    if (answer.ok) return value;
    const { error, message } = value as { error: string; message: string };
    throw new Error(`${method} ${path}: ${error}: ${message}`);
  };
}

/**
 * WebKitWebDriver does not print a port that it chose itself, so it is started with a port that was free just before.
 */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function waitUntilReady(call: Call): Promise<void> {
  const until = performance.now() + 30_000;
  for (;;) {
    const status = await call("GET", "/status").catch((error: unknown) => error);
    if (!(status instanceof Error)) return;
    if (performance.now() > until) throw status;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/**
 * Wraps an expression to run in the page and return its outcome as data: an exception would arrive without its message.
 */
const asynchronously = (expression: string): string => `const done = arguments[arguments.length - 1];
(async () => JSON.stringify(await (${expression})) ?? "null")()
  .then((json) => done({ json }), (error) => done({ error: String(error) }));`;

async function openDriver(call: Call, size: WindowSize): Promise<Driver> {
  const browserOptions = { binary: browserPath, args: ["--automation"], useOverlayScrollbars: false };
  const { sessionId } = (await call("POST", "/session", {
    capabilities: { alwaysMatch: { "webkitgtk:browserOptions": browserOptions } },
  })) as { sessionId: string };
  const session = `/session/${sessionId}`;
  const execute = (script: string) => call("POST", `${session}/execute/async`, { script, args: [] });
  const driver: Driver = {
    open: async (url) => void (await call("POST", `${session}/url`, { url })),
    async evaluate(expression) {
      const outcome = (await execute(asynchronously(expression))) as { json: string } | { error: string };
      if ("error" in outcome) throw new Error(outcome.error);
      return JSON.parse(outcome.json) as unknown;
    },
    perform: async (actions) => void (await call("POST", `${session}/actions`, { actions })),
    async resize({ width, height }) {
      const frame = (await driver.evaluate("[outerWidth - innerWidth, outerHeight - innerHeight]")) as [number, number];
      const rect = { x: 0, y: 0, width: width + frame[0], height: height + frame[1] };
      await call("POST", `${session}/window/rect`, rect);
    },
    picture: async () => Buffer.from(String(await call("GET", `${session}/screenshot`)), "base64"),
    close: async () => void (await call("DELETE", session)),
  };
  await driver.resize(size);
  return driver;
}
