import { lstat, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { logSpy } from "@kauke/testkit/log-spy";
import { afterEach, beforeEach, expect, it } from "vitest";
import { bounds } from "../../limits/table.ts";
import { ControlError, controlClient, isListening } from "./control-client.ts";
import { type ControlHandlers, controlPath, OperatorError } from "./control-protocol.ts";
import { type ControlSocket, listenControl } from "./control-socket.ts";

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

/** Sends raw bytes and returns what is received until the connection ends. */
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

it("a server answers with the result of the handler, which gets the request", async () => {
  await listen();
  expect(await controlClient(path).facts({})).toEqual({ version: "first" });
  expect(await controlClient(path)["kept-text"]({ messageId: "m-1" })).toMatchObject({ from: "m-1" });
});

it("the socket is accessible to its owner only, and no other file is left in the directory", async () => {
  await listen();
  const found = await lstat(path);
  expect([found.isSocket(), found.mode & 0o777]).toEqual([true, 0o600]);
  expect(await readdir(dataDir)).toEqual(["kauke.sock"]);
});

it("the socket is removed when the server closes, and the command gets no answer", async () => {
  const control = await listen();
  await control.close();
  expect(await readdir(dataDir)).toEqual([]);
  expect(await reasonOf(controlClient(path).facts({}))).toBe("nobody");
});

it("a socket left behind by a killed server is replaced", async () => {
  await writeFile(path, "");
  expect(await isListening(path)).toBe(false);
  await listen();
  expect(await controlClient(path).facts({})).toEqual({ version: "first" });
});

it("a running server keeps its socket; a second one runs without a socket and logs that", async () => {
  await listen();
  const second = await listen({ facts: async () => ({ version: "second" }) as never });
  expect(await controlClient(path).facts({})).toEqual({ version: "first" });
  expect(logged()).toContain("control_socket_unavailable");
  await second.close();
  expect(await isListening(path)).toBe(true);
});

it("closing a server does not remove the socket of a later server", async () => {
  const first = await listen();
  await rm(path);
  await listen({ facts: async () => ({ version: "second" }) as never });
  await first.close();
  expect(await controlClient(path).facts({})).toEqual({ version: "second" });
});

it("a path too long for a socket disables the command, not the server", async () => {
  const far = join(dataDir, "x".repeat(120));
  expect(controlPath(far)).toBeNull();
  await listen({}, far);
  expect(logged()).toContain("control_socket_unavailable");
});

it("a data directory that can't be created disables the command, not the server", async () => {
  await writeFile(join(dataDir, "file"), "");
  await listen({}, join(dataDir, "file", "data"));
  expect(logged()).toContain("control_socket_unavailable");
});

it.each(["", "null", "[]", "{}", '{"call":"stop"}', '{"call":"__proto__"}', "\u0000\u0001", '{"call":'])(
  "a line that is not a valid request is refused: %j",
  async (line) => {
    await listen();
    expect(await rawAnswer(`${line}\n`)).toBe('{"ok":false}\n');
    expect(await controlClient(path).facts({})).toEqual({ version: "first" });
  },
);

it("a connection that sends too long a request is closed without an answer", async () => {
  await listen();
  expect(await rawAnswer("x".repeat(bounds.operatorSocket.requestBytes + 1))).toBe("");
});

it("only the first line of a connection is answered", async () => {
  await listen();
  const twice = await rawAnswer('{"call":"facts"}\n{"call":"facts"}\n');
  expect(twice.split("\n").filter((line) => line !== "")).toHaveLength(1);
});

it("a failing handler answers only that it failed, and the log contains no error message", async () => {
  await listen({
    facts: async () => {
      throw new Error("ann@example.org broke it");
    },
  });
  expect(await reasonOf(controlClient(path).facts({}))).toBe("refused");
  expect(logged()).toContain("control_failed");
  expect(logged()).not.toContain("ann@example.org");
});

it("an OperatorError is answered with its sentence, and is not logged as a failure", async () => {
  await listen({
    facts: async () => {
      throw new OperatorError("There is a file already.");
    },
  });
  expect(await reasonOf(controlClient(path).facts({}))).toEqual(new OperatorError("There is a file already."));
  expect(logged()).not.toContain("control_failed");
});

it("fields of the wrong type are read as empty", async () => {
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

it("a server that ends during an answer is distinguished from one that is not there", async () => {
  const broken = createServer((socket) => socket.on("data", () => socket.end('{"ok":tr'))).listen(path);
  try {
    await new Promise((done) => broken.once("listening", done));
    expect(await reasonOf(controlClient(path).facts({}))).toBe("no_response");
  } finally {
    broken.close();
  }
});
