import { EventEmitter } from "node:events";
import type { LiveKind } from "@kauke/contract";
import { afterEach, expect, test, vi } from "vitest";
import { LiveStreams, type StreamResponse } from "./live-streams.ts";

class FakeResponse extends EventEmitter implements StreamResponse {
  readonly sent: string[] = [];
  isFull = false;
  isEnded = false;
  write(text: string): boolean {
    this.sent.push(text);
    return !this.isFull;
  }
  end(text?: string): void {
    if (text !== undefined) this.sent.push(text);
    this.isEnded = true;
    this.emit("close");
  }
  events(): string[] {
    return this.sent.filter((text) => text !== ":\n\n");
  }
}

let streams: LiveStreams | null = null;
afterEach(() => {
  streams?.close();
  streams = null;
  vi.useRealTimers();
});

function start(rules?: ConstructorParameters<typeof LiveStreams>[0]): LiveStreams {
  vi.useFakeTimers();
  streams = new LiveStreams(rules);
  return streams;
}

function open(userId: string, isOver: () => Promise<boolean> = async () => false): FakeResponse {
  const response = new FakeResponse();
  streams?.open({ userId, response, isOver });
  return response;
}

const change = (userId: string, kind: LiveKind) => ({ userId, kind });

test("5,000 changes in a burst are one event, within two seconds, and only the account's streams get it", () => {
  const live = start();
  const [own, alsoOwn, foreign] = [open("ann"), open("ann"), open("bob")];
  for (let count = 0; count < 5000; count++) live.tell(change("ann", count % 2 === 0 ? "aliases" : "labels"));
  vi.advanceTimersByTime(2000);
  expect(own.events()).toEqual(["data: aliases labels\n\n"]);
  expect(alsoOwn.events()).toEqual(own.events());
  expect(foreign.events()).toEqual([]);
});

test("changes without a pause are told every 1.6 seconds", () => {
  const live = start();
  const own = open("ann");
  for (let count = 0; count < 50; count++) {
    live.tell(change("ann", "notices"));
    vi.advanceTimersByTime(100);
  }
  expect(own.events()).toEqual(["data: notices\n\n", "data: notices\n\n", "data: notices\n\n"]);
});

test("a client that does not read gets everything in one event when it does, and no beats before", () => {
  const live = start();
  const slow = open("ann");
  slow.isFull = true;
  live.tell(change("ann", "aliases"));
  vi.advanceTimersByTime(500);
  for (const kind of ["jobs", "notices", "jobs"] as const) {
    live.tell(change("ann", kind));
    vi.advanceTimersByTime(60_000);
  }
  const before = slow.sent.length;
  expect(slow.events()).toEqual(["data: aliases\n\n"]);
  slow.isFull = false;
  slow.emit("drain");
  expect(slow.sent.slice(before)).toEqual(["data: jobs notices\n\n"]);
});

test("one timer beats for all streams, and none runs without streams or changes", () => {
  start();
  const all = Array.from({ length: 100 }, (_, number) => open(`user-${number}`));
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(25_000);
  for (const response of all) expect(response.sent).toEqual([":\n\n", ":\n\n"]);
  for (const response of all) response.emit("close");
  expect(vi.getTimerCount()).toBe(0);
});

test("the oldest stream of an account gives way, and is told to come back later", () => {
  const live = start({ account: 2 });
  const [first, second, third] = [open("ann"), open("ann"), open("ann")];
  expect(first.events()).toEqual(["data: later\n\n"]);
  expect([first.isEnded, second.isEnded, third.isEnded]).toEqual([true, false, false]);
  expect(live.size).toBe(2);
});

test("when all streams are taken, the account with the most gives way", () => {
  const live = start({ all: 3 });
  const [single, crowd] = [open("bob"), open("ann")];
  open("ann");
  open("eve");
  expect([single.isEnded, crowd.isEnded, live.size]).toEqual([false, true, 3]);
});

test("a stream ends when its session is over: at once after a change of sessions, otherwise with the next beat", async () => {
  const live = start();
  let over = false;
  const asked: boolean[] = [];
  const response = new FakeResponse();
  live.open({
    userId: "ann",
    response,
    isOver: async (isSuspected) => {
      asked.push(isSuspected);
      return over;
    },
  });
  await vi.advanceTimersByTimeAsync(25_000);
  expect(asked).toEqual([true, false]);
  over = true;
  live.tell(change("ann", "sessions"));
  await vi.advanceTimersByTimeAsync(0);
  expect(response.isEnded).toBe(true);
});

test("a session that ended while nothing could be heard or read ends its stream with the next beat", async () => {
  const live = start();
  const asked: boolean[] = [];
  const verdicts = [false, new Error("the database is away"), new Error("still away"), true];
  const response = new FakeResponse();
  live.open({
    userId: "ann",
    response,
    isOver: async (isSuspected) => {
      asked.push(isSuspected);
      const verdict = verdicts[asked.length - 1];
      if (verdict instanceof Error) throw verdict;
      return isSuspected && verdict === true;
    },
  });
  live.tell("all");
  await vi.advanceTimersByTimeAsync(75_000);
  expect(asked).toEqual([true, true, true, true]);
  expect(response.isEnded).toBe(true);
});

test("after the database's connection was lost every account is told of every kind", () => {
  const live = start();
  const own = open("ann");
  live.tell("all");
  vi.advanceTimersByTime(500);
  expect(own.events()).toEqual([
    "data: aliases labels mailboxes notices settings keys jobs imports checklist sessions contacts forwarding tests domains\n\n",
  ]);
});

test("closing ends all streams", () => {
  const live = start();
  const own = open("ann");
  live.close();
  expect(own.isEnded).toBe(true);
  expect(open("ann").isEnded).toBe(true);
});
