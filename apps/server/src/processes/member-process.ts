/** One process of a group, seen by the process that started it. */
import { fork } from "node:child_process";
import { ControlError } from "../cli/control/control-client.ts";
import { type ControlAnswer, type ControlRequest, OperatorError } from "../cli/control/control-protocol.ts";

/** Argument by which the program knows that it is a process of a group. */
export const MEMBER_ARGUMENT = "--member-of-a-group";

/**
 * Milliseconds that a process gets to stop before it is killed: more than its own limit for a shutdown, and less than
 * that of the process which started it.
 */
const STOP_MS = 4000;

export class MemberProcess {
  readonly #child;
  readonly #requests = new Map<number, PromiseWithResolvers<ControlAnswer>>();
  #lastId = 0;
  /** Pings sent since the last message from the process. */
  #unanswered = 0;
  isReady = false;
  /** Resolves with the ports it listens on; rejects when it ends before. */
  readonly ready: Promise<ListenPorts>;
  readonly ended: Promise<void>;

  /** @param program script that runs as the process, with MEMBER_ARGUMENT and the Node options of this one */
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
      for (const { reject } of this.#requests.values()) reject(new ControlError("no_answer"));
      this.#requests.clear();
    });
    this.#child.on("message", (message: FromMember) => {
      this.#unanswered = 0;
      if (message.kind === "response") this.#requests.get(message.id)?.resolve(message.answer);
      else {
        this.isReady = true;
        ready.resolve(message.ports);
      }
    });
    this.#send({ kind: "start", member, ports });
  }

  get unanswered(): number {
    return this.#unanswered;
  }

  /** @throws OperatorError with the sentence of a refusal, ControlError if the process failed or has ended */
  async ask(request: GroupRequest): Promise<unknown> {
    const id = ++this.#lastId;
    const response = Promise.withResolvers<ControlAnswer>();
    this.#requests.set(id, response);
    if (request.call === "ping") this.#unanswered++;
    this.#send({ kind: "request", id, request });
    const answer = await response.promise.finally(() => this.#requests.delete(id));
    if (answer.ok) return answer.value;
    throw answer.sentence === undefined ? new ControlError("refused") : new OperatorError(answer.sentence);
  }

  /** Lets the process finish what it does, and kills it if that takes too long. */
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

/** What a process needs to know of the group that it belongs to. */
export interface GroupMember {
  /** Number of processes in the group. Limits counted in memory are divided by it. */
  processes: number;
  /** Keys of TLS session tickets: a client resumes its session in whichever process gets its next connection. */
  ticketKeys: Buffer;
}

export type ListenPorts = Readonly<Record<"http" | "mx" | "submission" | "submissions", number | null>>;

export type GroupRequest = ControlRequest | { call: "ping" } | { call: "metrics" };

export type ToMember =
  /** The first message. `ports`: those of the settings, or for those set to 0 the ones that the first process got. */
  | { kind: "start"; member: GroupMember; ports: ListenPorts | null }
  | { kind: "request"; id: number; request: GroupRequest }
  | { kind: "stop" };

export type FromMember =
  | { kind: "ready"; ports: ListenPorts }
  | { kind: "response"; id: number; answer: ControlAnswer };
