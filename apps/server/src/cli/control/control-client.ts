/** The client of the control socket: one request and one response per connection, with a timeout. */
import { connect } from "node:net";
import { ByteBlocks } from "../../runtime/byte-streams.ts";
import {
  type ControlCall,
  type ControlHandlers,
  type ControlRequest,
  type ControlResponse,
  handlersBy,
  OperatorError,
  RESPONSE_BYTES_MAX,
} from "./control-protocol.ts";

const RESPONSE_MS = 10_000;
/** Milliseconds to wait for a response, for calls that take longer. */
const responseMs: Partial<Record<ControlCall, number>> = {
  // DNS checks wait for silent servers.
  health: 120_000,
  backup: 6 * 3_600_000,
  "keys-rotate": 600_000,
  // An order may take five minutes, and each policy host has one.
  "certificates-order": 3_600_000,
  "provider-state": 120_000,
  "provider-check": 3_600_000,
  "provider-repair": 3_600_000,
  "provider-push": 3_600_000,
  "provider-adopt-plan": 3_600_000,
  "provider-adopt": 3_600_000,
};

export type ControlFailureReason = "nobody" | "not_allowed" | "no_response" | "refused";

/** `nobody`: no server listens; `not_allowed`: no permission; `no_response`: timeout; `refused`: see its log. */
export class ControlError extends Error {
  override name = "ControlError";
  readonly reason: ControlFailureReason;

  constructor(reason: ControlFailureReason) {
    super(reason);
    this.reason = reason;
  }
}

/** Handlers that call the server at the socket. @throws ControlError */
export function controlClient(path: string): ControlHandlers {
  return handlersBy((request) => ask(path, request));
}

/** Whether a server listens: the socket file alone proves nothing, because a killed server leaves it behind. */
export function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const end = (isServer: boolean) => {
      socket.destroy();
      resolve(isServer);
    };
    socket.once("connect", () => end(true));
    // A socket that we may not connect to belongs to a running server, or to one of another user.
    socket.once("error", (error) => end(reasonOf(error) === "not_allowed"));
  });
}

async function ask(path: string, request: ControlRequest): Promise<unknown> {
  const line = await exchange(path, `${JSON.stringify(request)}\n`, responseMs[request.call] ?? RESPONSE_MS);
  return valueOf(JSON.parse(line) as ControlResponse);
}

/** @throws OperatorError with the sentence of a refusal, ControlError without one */
export function valueOf(response: ControlResponse): unknown {
  if (response.ok) return response.value;
  throw response.sentence === undefined ? new ControlError("refused") : new OperatorError(response.sentence);
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
    socket.setTimeout(waitMs, () => fail("no_response"));
    socket.on("error", (error) => fail(isConnected ? "no_response" : reasonOf(error)));
    socket.on("data", (chunk: Buffer) => {
      blocks.push(chunk);
      if (blocks.length > RESPONSE_BYTES_MAX) fail("no_response");
    });
    socket.on("end", () => {
      const text = Buffer.concat(blocks.take()).toString("utf8");
      if (text.endsWith("\n")) resolve(text);
      else fail("no_response");
    });
  });
}

function reasonOf(error: NodeJS.ErrnoException): ControlFailureReason {
  return error.code === "EACCES" || error.code === "EPERM" ? "not_allowed" : "nobody";
}
