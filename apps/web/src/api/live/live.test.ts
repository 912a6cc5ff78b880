import { liveKinds } from "@kauke/contract";
import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, test, vi } from "vitest";
import { keysOf, refetcher } from "./live-queries.ts";
import { openLive, retryDelayMs } from "./live-stream.ts";
import { readEvents } from "./read-events.ts";

const tick = () => new Promise((resolve) => setTimeout(resolve));

test("every kind that the server knows has queries, and unknown ones are ignored", () => {
  for (const kind of liveKinds) expect(keysOf([kind]).size).toBeGreaterThan(0);
  expect(keysOf(["constructor", "of-tomorrow"])).toEqual(new Set());
  expect(keysOf("all")).toContain("checklist");
});

test("a stream is tried again later each time, at most a minute, and not by all at once", () => {
  expect([1, 2, 3, 4].map((failures) => retryDelayMs(failures, 1))).toEqual([1000, 2000, 4000, 8000]);
  expect(retryDelayMs(1, 0)).toBe(500);
  expect(retryDelayMs(30, 1)).toBe(60_000);
});

const streamOf = (chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });

test("events are read from chunks that are cut anywhere; beats are none", async () => {
  const bytes = new TextEncoder().encode(":\n\ndata: aliases labels\n\n:\n\ndata: jobs\n\ndata: unfin");
  for (const size of [1, 3, 7, bytes.length]) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.slice(at * size, (at + 1) * size),
    );
    let heard = 0;
    const events: string[] = [];
    for await (const text of readEvents(streamOf(chunks), () => heard++)) events.push(text);
    expect(events).toEqual(["aliases labels", "jobs"]);
    expect(heard).toBe(chunks.length);
  }
});

/** A query that is on screen. */
function shown(client: QueryClient, key: string, read: () => Promise<number>) {
  const observer = new QueryObserver(client, { queryKey: [key], queryFn: read, staleTime: Infinity });
  return observer.subscribe(() => {});
}

const shownTab = { isHidden: () => false, onChange: () => {} };

test("queries of the kind that are on screen are fetched again, others are not", async () => {
  const client = new QueryClient();
  let [aliases, notices] = [0, 0];
  const ends = [shown(client, "aliases", async () => ++aliases), shown(client, "notices", async () => ++notices)];
  await tick();
  refetcher(client, shownTab)(["aliases"]);
  await tick();
  expect([aliases, notices]).toEqual([2, 1]);
  for (const end of ends) end();
});

test("while a write is in progress nothing is fetched; a fetch that a write overtakes is repeated after it", async () => {
  const client = new QueryClient();
  let asked = 0;
  let respond: (value: number) => void = () => {};
  const end = shown(client, "aliases", () => {
    asked++;
    return asked === 1 ? Promise.resolve(1) : new Promise((resolve) => void (respond = resolve));
  });
  await tick();
  const hear = refetcher(client, shownTab);
  let finish: () => void = () => {};
  const write = () => {
    const mutation = client.getMutationCache().build(client, {
      mutationFn: () => new Promise<void>((resolve) => void (finish = resolve)),
    });
    return mutation.execute(undefined);
  };
  const first = write();
  hear(["aliases"]);
  await tick();
  expect(asked).toBe(1);
  finish();
  await first;
  await tick();
  expect(asked).toBe(2);
  const second = write();
  await tick();
  respond(-1);
  await tick();
  expect(client.getQueryData(["aliases"])).toBe(1);
  finish();
  await second;
  await tick();
  expect(asked).toBe(3);
  respond(3);
  await tick();
  expect(client.getQueryData(["aliases"])).toBe(3);
  end();
});

test("a hidden tab fetches once when it is shown again", async () => {
  const client = new QueryClient();
  let asked = 0;
  const end = shown(client, "aliases", async () => ++asked);
  await tick();
  let isHidden = true;
  let show: () => void = () => {};
  const hear = refetcher(client, { isHidden: () => isHidden, onChange: (listener) => void (show = listener) });
  hear(["aliases"]);
  hear(["aliases"]);
  await tick();
  expect(asked).toBe(1);
  isHidden = false;
  show();
  await tick();
  expect(asked).toBe(2);
  end();
});

test("a stream that is cut at once is tried again later each time, in place of every second", async () => {
  vi.useFakeTimers();
  vi.stubGlobal("window", new EventTarget());
  vi.stubGlobal("document", new EventTarget());
  vi.stubGlobal("navigator", {
    locks: { request: async (_: string, __: object, hold: (lock: object) => unknown) => hold({}) },
  });
  const asked = vi.fn(async () => new Response(streamOf([])));
  vi.stubGlobal("fetch", asked);
  const all = vi.fn();
  const close = openLive(all);
  await vi.advanceTimersByTimeAsync(120_000);
  close();
  expect(asked.mock.calls.length).toBeLessThan(12);
  expect(all.mock.calls.length).toBeLessThan(12);
  vi.unstubAllGlobals();
  vi.useRealTimers();
});
