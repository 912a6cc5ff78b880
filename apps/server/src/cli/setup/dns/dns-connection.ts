/** One TCP connection to a DNS server (RFC 7766): one request at a time, each with a deadline. */
import { connect, type Socket } from "node:net";
import { uint16 } from "./dns-message.ts";
import { DnsProviderError } from "./provider.ts";

export interface DnsServerAddress {
  host: string;
  port: number;
}

export class DnsConnection implements Disposable {
  readonly #socket: Socket;
  readonly #deadlineMs: number;
  #bytes = Buffer.alloc(0);
  #isOver = false;
  #onChange: () => void = () => {};

  constructor({ host, port }: DnsServerAddress, deadlineMs: number) {
    this.#deadlineMs = deadlineMs;
    this.#socket = connect({ host, port, noDelay: true });
    this.#socket.on("data", (chunk: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk]);
      // A DNS message has at most 65,535 octets, and a request has one response.
      if (this.#bytes.length > 0x20000) this.#socket.destroy();
      this.#onChange();
    });
    this.#socket.on("error", () => {});
    this.#socket.on("close", () => {
      this.#isOver = true;
      this.#onChange();
    });
  }

  /** @throws DnsProviderError `unreachable`, `aborted` */
  async ask(message: Buffer, signal?: AbortSignal): Promise<Buffer> {
    this.#socket.write(Buffer.concat([uint16(message.length), message]));
    const end = AbortSignal.any([AbortSignal.timeout(this.#deadlineMs), ...(signal === undefined ? [] : [signal])]);
    const close = () => this.#socket.destroy();
    if (end.aborted) close();
    end.addEventListener("abort", close);
    try {
      for (let response = this.#next(); ; response = this.#next()) {
        if (response !== null) return response;
        if (this.#isOver) throw new DnsProviderError(signal?.aborted === true ? "aborted" : "unreachable");
        await new Promise<void>((resolve) => (this.#onChange = resolve));
      }
    } finally {
      end.removeEventListener("abort", close);
    }
  }

  #next(): Buffer | null {
    if (this.#bytes.length < 2) return null;
    const end = 2 + this.#bytes.readUInt16BE(0);
    if (this.#bytes.length < end) return null;
    const message = this.#bytes.subarray(2, end);
    this.#bytes = this.#bytes.subarray(end);
    return message;
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }
}
