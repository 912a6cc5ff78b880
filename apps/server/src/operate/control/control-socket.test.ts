import { lstat, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { logSpy } from "@kauke/testkit/log-spy";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ControlError, controlClient, isAnswered } from "./control-client.ts";
import { type ControlHandlers, controlPath, REQUEST_BYTES_MAX } from "./control-protocol.ts";
import { type ControlSocket, listenControl } from "./control-socket.ts";
import { OperatorError } from "./operator-error.ts";

let dataDir: string;
let path: string;
let log: ReturnType<typeof logSpy>;
const open: ControlSocket[] = [];

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "kauke-control-"));
  path = controlPath(dataDir) ?? "";
  log = logSpy();
});
afterEach(async () => {
  for (const control of open.splice(0)) await control.close();
  await rm(dataDir, { recursive: true });
});

function handlers(change: Partial<ControlHandlers> = {}): ControlHandlers {
  return {
    facts: async () => ({ version: "first" }) as never,
    "kept-list": async () => [],
    "kept-text": async ({ messageId }) => ({ from: messageId, subject: "", text: "" }),
    "kept-forget": async () => true,
    ...change,
  } as ControlHandlers;
}

async function listen(change: Partial<ControlHandlers> = {}, at = dataDir): Promise<ControlSocket> {
  const control = await listenControl({ dataDir: at, handlers: handlers(change), logger: log });
  open.push(control);
  return control;
}

const logged = () => JSON.stringify(log.events);

/** What comes back to raw bytes until the connection ends. */
function rawAnswer(bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(path, () => socket.write(bytes));
    socket.on("data", (chunk) => {
      text += String(chunk);
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(text));
  });
}

const reasonOf = (work: Promise<unknown>) =>
  work.then(
    () => "answered",
    (thrown: unknown) => (thrown instanceof ControlError ? thrown.reason : thrown),
  );

it("a server answers what its handlers say, with what was asked", async () => {
  await listen();
  expect(await controlClient(path).facts({})).toEqual({ version: "first" });
  expect(await controlClient(path)["kept-text"]({ messageId: "m-1" })).toMatchObject({ from: "m-1" });
});

it("the socket is its owner's alone, and nothing else is left in the directory", async () => {
  await listen();
  const found = await lstat(path);
  expect([found.isSocket(), found.mode & 0o777]).toEqual([true, 0o600]);
  expect(await readdir(dataDir)).toEqual(["kauke.sock"]);
});

it("the socket goes with the server, and with it the answer", async () => {
  const control = await listen();
  await control.close();
  expect(await readdir(dataDir)).toEqual([]);
  expect(await reasonOf(controlClient(path).facts({}))).toBe("nobody");
});

it("what a killed server left behind is replaced", async () => {
  await writeFile(path, "");
  expect(await isAnswered(path)).toBe(false);
  await listen();
  expect(await controlClient(path).facts({})).toEqual({ version: "first" });
});

it("a living server keeps its socket; the second one runs without and says so", async () => {
  await listen();
  const second = await listen({ facts: async () => ({ version: "second" }) as never });
  expect(await controlClient(path).facts({})).toEqual({ version: "first" });
  expect(logged()).toContain("control_socket_unavailable");
  await second.close();
  expect(await isAnswered(path)).toBe(true);
});

it("a close leaves the socket of the server that came after alone", async () => {
  const first = await listen();
  await rm(path);
  await listen({ facts: async () => ({ version: "second" }) as never });
  await first.close();
  expect(await controlClient(path).facts({})).toEqual({ version: "second" });
});

it("a path too long for a socket costs the command, not the server", async () => {
  const far = join(dataDir, "x".repeat(120));
  expect(controlPath(far)).toBeNull();
  await listen({}, far);
  expect(logged()).toContain("control_socket_unavailable");
});

it("a data directory that can't be made costs the command, not the server", async () => {
  await writeFile(join(dataDir, "file"), "");
  await listen({}, join(dataDir, "file", "data"));
  expect(logged()).toContain("control_socket_unavailable");
});

it.each(["", "null", "[]", "{}", '{"call":"stop"}', '{"call":"__proto__"}', "\u0000\u0001", '{"call":'])(
  "a line that is no request is refused: %j",
  async (line) => {
    await listen();
    expect(await rawAnswer(`${line}\n`)).toBe('{"ok":false}\n');
    expect(await controlClient(path).facts({})).toEqual({ version: "first" });
  },
);

it("a request that is too long is cut off unread", async () => {
  await listen();
  expect(await rawAnswer("x".repeat(REQUEST_BYTES_MAX + 1))).toBe("");
});

it("only the first line of a connection is answered", async () => {
  await listen();
  const twice = await rawAnswer('{"call":"facts"}\n{"call":"facts"}\n');
  expect(twice.split("\n").filter((line) => line !== "")).toHaveLength(1);
});

it("a failing handler says no more than that it failed, and the log no message", async () => {
  await listen({
    facts: async () => {
      throw new Error("ann@example.org broke it");
    },
  });
  expect(await reasonOf(controlClient(path).facts({}))).toBe("refused");
  expect(logged()).toContain("control_failed");
  expect(logged()).not.toContain("ann@example.org");
});

it("what the operator should know comes back as the sentence it is, and is no failure of the server's", async () => {
  await listen({
    facts: async () => {
      throw new OperatorError("There is a file already.");
    },
  });
  expect(await reasonOf(controlClient(path).facts({}))).toEqual(new OperatorError("There is a file already."));
  expect(logged()).not.toContain("control_failed");
});

it("fields of the wrong kind are taken as none", async () => {
  const seen: unknown[] = [];
  await listen({
    "users-list": async (request) => {
      seen.push(request);
      return [];
    },
  });
  await rawAnswer('{"call":"users-list","after":{"x":1},"withEmail":"yes","more":true}\n');
  expect(seen).toEqual([{ after: "", withEmail: false }]);
});

it("a server that ends in the middle of an answer is told apart from one that isn't there", async () => {
  const broken = createServer((socket) => socket.on("data", () => socket.end('{"ok":tr'))).listen(path);
  try {
    await new Promise((done) => broken.once("listening", done));
    expect(await reasonOf(controlClient(path).facts({}))).toBe("no_answer");
  } finally {
    broken.close();
  }
});
