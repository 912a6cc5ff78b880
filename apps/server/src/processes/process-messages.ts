/** What the processes of one server say to each other (`process-group.ts`), as structured clones over Node's channel. */
import type { ControlAnswer, ControlRequest } from "../cli/control/control-protocol.ts";

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
