/** What the listener gives each of its sessions. */
import type { Socket } from "node:net";
import type { MemoryBudget } from "../memory-budget.ts";
import type { SessionHandlers } from "./session-handlers.ts";

export interface SessionOptions {
  mailHost: string;
  maxMessageBytes: number;
  budget: MemoryBudget;
  handlers: SessionHandlers;
  /** TLS from the first byte. */
  secure?: boolean;
  /** `null`: STARTTLS is not offered, or the connection is secure already. */
  upgrade: ((socket: Socket) => Promise<Socket>) | null;
  /** Asked before STARTTLS is answered: a client in clear after a 4xx would send its mail in clear. */
  hasHandshakeRoom?(): boolean;
  isClosing(): boolean;
  /** Milliseconds of a clock that never steps back. */
  nowMs(): number;
}
