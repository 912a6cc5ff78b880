/** The client of the control socket: one request and one answer per connection, with a timeout. */
import { connect } from "node:net";
import { ByteBlocks } from "../../runtime/byte-streams.ts";
import {
  ANSWER_BYTES_MAX,
  type ControlAnswer,
  type ControlCall,
  type ControlHandlers,
  controlCalls,
  OperatorError,
} from "./control-protocol.ts";

const ANSWER_MS = 10_000;
/** Milliseconds to wait for calls whose duration depends on the amount of data. */
const answerMs: Partial<Record<ControlCall, number>> = { backup: 6 * 3_600_000, "keys-rotate": 600_000 };

export type ControlFailureReason = "nobody" | "not_allowed" | "no_answer" | "refused";

/**
 * Failure of a call to the running server. `nobody`: no server listens at the socket; `not_allowed`: no permission to
 * connect; `no_answer`: timeout or invalid answer; `refused`: the server failed, and its log says why.
 */
export class ControlError extends Error {
  override name = "ControlError";
  readonly reason: ControlFailureReason;

  constructor(reason: ControlFailureReason) {
    super(reason);
    this.reason = reason;
  }
}

/** Handlers that call the server at the socket `path`. Each throws ControlError when the server can't answer. */
export function controlClient(path: string): ControlHandlers {
  const handlers = controlCalls.map((call) => [call, (request: object) => ask(path, call, request)]);
  return Object.fromEntries(handlers) as ControlHandlers;
}

/** Whether a server listens at the socket. The file alone proves nothing, because a killed server leaves it behind. */
export function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const end = (answered: boolean) => {
      socket.destroy();
      resolve(answered);
    };
    socket.once("connect", () => end(true));
    // A socket that we may not connect to belongs to a running server or to another user, so it counts as answered.
    socket.once("error", (error) => end(reasonOf(error) === "not_allowed"));
  });
}

async function ask(path: string, call: ControlCall, request: object): Promise<unknown> {
  const line = await exchange(path, `${JSON.stringify({ call, ...request })}\n`, answerMs[call] ?? ANSWER_MS);
  const answer = JSON.parse(line) as ControlAnswer;
  if (answer.ok) return answer.value;
  throw answer.sentence === undefined ? new ControlError("refused") : new OperatorError(answer.sentence);
}

function exchange(path: string, request: string, waitMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const blocks = new ByteBlocks();
    let isConnected = false;
    const socket = connect(path, () => {
      isConnected = true;
      socket.write(request);
    });
    const fail = (reason: ControlFailureReason) => {
      socket.destroy();
      reject(new ControlError(reason));
    };
    socket.setTimeout(waitMs, () => fail("no_answer"));
    socket.on("error", (error) => fail(isConnected ? "no_answer" : reasonOf(error)));
    socket.on("data", (chunk: Buffer) => {
      blocks.push(chunk);
      if (blocks.length > ANSWER_BYTES_MAX) fail("no_answer");
    });
    socket.on("end", () => {
      const text = Buffer.concat(blocks.take()).toString("utf8");
      if (text.endsWith("\n")) resolve(text);
      else fail("no_answer");
    });
  });
}

function reasonOf(error: NodeJS.ErrnoException): ControlFailureReason {
  return error.code === "EACCES" || error.code === "EPERM" ? "not_allowed" : "nobody";
}
