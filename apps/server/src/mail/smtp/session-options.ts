/** Options that the listener passes to each of its sessions. */
import type { Socket } from "node:net";
import type { MemoryBudget } from "../memory-budget.ts";
import type { SessionHandlers } from "./session-handlers.ts";

export interface SessionOptions {
  mailHost: string;
  maxMessageBytes: number;
  budget: MemoryBudget;
  handlers: SessionHandlers;
  /** Whether the connection uses TLS from the first byte. */
  secure?: boolean;
  /** Upgrades the connection by STARTTLS; `null` when it is not offered or the connection is already secure. */
  upgrade: ((socket: Socket) => Promise<Socket>) | null;
  /** Whether a TLS handshake may begin. If not, STARTTLS ends the session: after a 454 clients continue unencrypted. */
  hasHandshakeRoom?(): boolean;
  isClosing(): boolean;
  /** Milliseconds of a monotonic clock. */
  nowMs(): number;
}
