/**
 * Many clients at once with addresses of their own (the whole of 127.0.0.0/8 is this machine): they connect, send
 * something, and keep the connection open.
 */
import { connect, type Socket } from "node:net";

export interface CrowdMember {
  socket: Socket;
  address: string;
  /** First 64 KiB of what the server has sent to this client. */
  heard(): string;
  heardBytes(): number;
  isOpen(): boolean;
}

export interface CrowdOptions {
  port: number;
  /** Client addresses, one connection each, e.g. `127.1.0.1`. */
  addresses: readonly string[];
  /** Bytes that the client sends as soon as it is connected. */
  says?: string | Buffer;
  /** Text that the client sends after the server has sent something, as SMTP requires. */
  answers?: string;
  /** Whether the client keeps its side of the connection open after the server has closed the other. */
  staysHalfOpen?: boolean;
  /** Whether the client connects again whenever the server has closed its connection. */
  comesBack?: boolean;
}

export class Crowd implements Disposable {
  readonly members: CrowdMember[] = [];
  readonly #options: CrowdOptions;
  #isOver = false;

  constructor(options: CrowdOptions) {
    this.#options = options;
  }

  /** Opens all connections. @returns once every client is connected or was turned away */
  static async gather(options: CrowdOptions): Promise<Crowd> {
    const crowd = new Crowd(options);
    // A listener's accept queue is finite, and a SYN that does not fit is sent again after a second.
    for (let from = 0; from < options.addresses.length; from += 100)
      await Promise.all(options.addresses.slice(from, from + 100).map((address, n) => crowd.#enter(from + n, address)));
    return crowd;
  }

  get open(): CrowdMember[] {
    return this.members.filter((it) => it.isOpen());
  }

  sayAll(text: string | Buffer): void {
    for (const { socket } of this.open) socket.write(text);
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    for (const { socket } of this.members) socket.destroy();
  }

  #enter(at: number, localAddress: string): Promise<void> {
    const { port, says, answers, comesBack, staysHalfOpen: allowHalfOpen = false } = this.#options;
    const socket = connect({ port, host: "127.0.0.1", localAddress, noDelay: true, allowHalfOpen });
    let heard = "";
    let isClosed = false;
    this.members[at] = {
      socket,
      address: localAddress,
      heard: () => heard,
      heardBytes: () => socket.bytesRead,
      isOpen: () => !isClosed,
    };
    socket.on("data", (chunk) => void (heard.length < 65_536 && (heard += chunk.toString("latin1"))));
    if (answers !== undefined) socket.once("data", () => socket.write(answers));
    socket.on("error", () => {});
    socket.on("end", () => void (isClosed = true));
    return new Promise((resolve) => {
      socket.once("connect", () => {
        if (says !== undefined) socket.write(says);
        resolve();
      });
      socket.once("close", () => {
        isClosed = true;
        resolve();
        if (comesBack && !this.#isOver) setTimeout(() => void this.#enter(at, localAddress), 20);
      });
    });
  }
}

/**
 * @returns the addresses of many clients @example crowdAddresses(3, (n) => `127.1.0.${n + 1}`, 2) // each address twice
 */
export function crowdAddresses(count: number, addressAt: (n: number) => string, each = 1): string[] {
  return Array.from({ length: count * each }, (_, n) => addressAt(Math.floor(n / each)));
}
