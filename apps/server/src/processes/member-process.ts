/** One process of a group as its parent sees it, and the messages between them (structured clones). */
import { fork } from "node:child_process";
import { ControlError, valueOf } from "../cli/control/control-client.ts";
import { type ControlRequest, type ControlResponse } from "../cli/control/control-protocol.ts";

export const MEMBER_ARGUMENT = "--member-of-a-group";

/** Longer than a process' own limit for a shutdown, shorter than that of the process which started it. */
const STOP_MS = 4000;

export class MemberProcess {
  readonly #child;
  readonly #requests = new Map<number, PromiseWithResolvers<ControlResponse>>();
  #lastId = 0;
  #missedPings = 0;
  isReady = false;
  /** Resolves with the ports that the process listens on; rejects when it ends before. */
  readonly ready: Promise<ListenPorts>;
  readonly ended: Promise<void>;

  constructor(program: string, member: GroupMember, ports: ListenPorts | null) {
    this.#child = fork(program, [MEMBER_ARGUMENT], { serialization: "advanced" });
    const ready = Promise.withResolvers<ListenPorts>();
    this.ready = ready.promise;
    // Whoever awaits `ready` handles the error; without this line it would also count as unhandled.
    this.ready.catch(() => {});
    this.ended = new Promise((resolve) => {
      this.#child.once("exit", resolve);
      // A process that could not be started reports an error and never an exit.
      this.#child.on("error", () => resolve());
    });
    void this.ended.then(() => {
      this.isReady = false;
      ready.reject(new Error("a process ended while it started"));
      for (const { reject } of this.#requests.values()) reject(new ControlError("no_response"));
      this.#requests.clear();
    });
    this.#child.on("message", (message: FromMember) => {
      this.#missedPings = 0;
      if (message.kind === "response") this.#requests.get(message.id)?.resolve(message.response);
      else {
        this.isReady = true;
        ready.resolve(message.ports);
      }
    });
    this.#send({ kind: "start", member, ports });
  }

  get missedPings(): number {
    return this.#missedPings;
  }

  /** @throws OperatorError with the sentence of a refusal, ControlError if the process failed or has ended */
  async ask(request: GroupRequest): Promise<unknown> {
    const id = ++this.#lastId;
    const response = Promise.withResolvers<ControlResponse>();
    this.#requests.set(id, response);
    if (request.call === "ping") this.#missedPings++;
    this.#send({ kind: "request", id, request });
    return valueOf(await response.promise.finally(() => this.#requests.delete(id)));
  }

  async stop(): Promise<void> {
    const timer = setTimeout(() => this.kill(), STOP_MS);
    this.#send({ kind: "stop" });
    await this.ended;
    clearTimeout(timer);
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }

  #send(message: ToMember): void {
    // The callback takes the error of a channel that has just closed.
    if (this.#child.connected) this.#child.send(message, () => {});
  }
}

export interface GroupMember {
  /** Number of processes, by which limits counted in memory are divided. */
  processes: number;
  /** Keys of TLS session tickets: a client resumes its session in whichever process gets its next connection. */
  ticketKeys: Buffer;
}

export type ListenPorts = Readonly<
  Record<"http" | "https" | "mx" | "submission" | "submissions" | "pop3s", number | null>
>;

export type GroupRequest = ControlRequest | { call: "ping" } | { call: "metrics" };

export type ToMember =
  /** `ports`: those of the settings; for those set to 0, the ones that the first process got. */
  | { kind: "start"; member: GroupMember; ports: ListenPorts | null }
  | { kind: "request"; id: number; request: GroupRequest }
  | { kind: "stop" };

export type FromMember =
  | { kind: "ready"; ports: ListenPorts }
  | { kind: "response"; id: number; response: ControlResponse };
