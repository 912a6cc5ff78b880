/**
 * One event stream for all tabs of a browser: the tab that holds the lock reads it and tells the others. Locks need a
 * secure context; without one nothing is live.
 */
import { LIVE_LATER, LIVE_PATH } from "@kauke/contract/live";
import { markReached } from "../connection.ts";
import { readEvents } from "./read-events.ts";

/** Kinds that changed; `all` after a time in which changes may have been missed. */
export type Heard = readonly string[] | "all";

type Message = { heard: Heard } | "who-leads" | "lead";

const NAME = "live";
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 60_000;
/** A stream that ends sooner counts as a failure: a proxy that buffers or cuts it would be asked every second. */
const LASTS_MS = 20_000;
/** After the server ended the stream in favour of others, and while it refuses. */
const LATER_MS = 300_000;
/** The server sends something every 25 s. */
const SILENCE_MS = 65_000;
/** A suspended tab keeps its lock, and does not respond. */
const LEADER_RESPONDS_MS = 3000;

/** Between half of the delay and all of it, so that clients of a restarted server do not all come at once. */
export function retryDelayMs(failures: number, random = Math.random()): number {
  return Math.min(FIRST_RETRY_MS * 2 ** Math.max(0, failures - 1), LONGEST_RETRY_MS) * (0.5 + random / 2);
}

/** @param onHeard called in every tab @returns ends this tab's part */
export function openLive(onHeard: (heard: Heard) => void): () => void {
  const { locks } = navigator;
  if (locks === undefined) return () => {};
  const ended = new AbortController();
  const channel = new BroadcastChannel(NAME);
  let leads = false;
  let suspicion: ReturnType<typeof setTimeout> | undefined;
  const post = (message: Message) => {
    if (!ended.signal.aborted) channel.postMessage(message);
  };

  const lead = async (isHeir: boolean) => {
    leads = true;
    post("lead");
    const tell = (heard: Heard) => {
      post({ heard });
      onHeard(heard);
    };
    const stolen = new AbortController();
    const signal = AbortSignal.any([ended.signal, stolen.signal]);
    surrender = () => stolen.abort();
    await readForEver(tell, { signal, isHeir });
    leads = false;
  };
  let surrender = () => {};

  const queue = (options: LockOptions, isHeir: boolean): void => {
    locks
      .request(NAME, options, async (lock) => {
        if (lock === null) return queue({ signal: ended.signal }, true);
        await lead(isHeir);
      })
      .catch(() => {
        // Another tab has taken the lock, because this one was suspended.
        surrender();
        if (!ended.signal.aborted) queue({ signal: ended.signal }, true);
      });
  };

  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data === "who-leads") return leads ? post("lead") : undefined;
    clearTimeout(suspicion);
    if (data !== "lead") onHeard(data.heard);
  };
  const suspect = () => {
    if (document.visibilityState !== "visible" || leads) return;
    post("who-leads");
    clearTimeout(suspicion);
    suspicion = setTimeout(() => leads || queue({ steal: true }, true), LEADER_RESPONDS_MS);
  };
  document.addEventListener("visibilitychange", suspect, { signal: ended.signal });
  queue({ ifAvailable: true }, false);
  return () => {
    clearTimeout(suspicion);
    ended.abort();
    channel.close();
  };
}

interface Reading {
  signal: AbortSignal;
  /** Another tab read the stream before, so that changes may have been missed in between. */
  isHeir: boolean;
}

async function readForEver(tell: (heard: Heard) => void, { signal, isHeir }: Reading): Promise<void> {
  let mayHaveMissed = isHeir;
  let failures = 0;
  while (!signal.aborted) {
    let openedAt = Number.POSITIVE_INFINITY;
    const onOpen = () => {
      openedAt = Date.now();
      if (mayHaveMissed) tell("all");
      mayHaveMissed = true;
    };
    const end = await readOnce(tell, { signal, onOpen });
    failures = Date.now() - openedAt < LASTS_MS ? failures + 1 : 1;
    await pause(end === "later" ? LATER_MS * (0.5 + Math.random() / 2) : retryDelayMs(failures), signal);
  }
}

/** @returns `later` if the server said so, or refuses */
async function readOnce(
  tell: (heard: Heard) => void,
  { signal, onOpen }: { signal: AbortSignal; onOpen: () => void },
): Promise<"later" | "soon"> {
  const silent = new AbortController();
  let watch: ReturnType<typeof setTimeout> | undefined;
  const heardSomething = () => {
    clearTimeout(watch);
    watch = setTimeout(() => silent.abort(), SILENCE_MS);
  };
  try {
    heardSomething();
    const response = await fetch(LIVE_PATH, {
      credentials: "same-origin",
      cache: "no-store",
      signal: AbortSignal.any([signal, silent.signal]),
    });
    if (response.status !== 200 || response.body === null) return response.status < 500 ? "later" : "soon";
    markReached();
    onOpen();
    for await (const text of readEvents(response.body, heardSomething)) {
      if (text === LIVE_LATER) return "later";
      tell(text.split(" "));
    }
  } catch {
    // The connection is lost, or this tab stops reading.
  } finally {
    clearTimeout(watch);
    silent.abort();
  }
  return "soon";
}

/** Ends early when the browser is online again. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      window.removeEventListener("online", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    window.addEventListener("online", done);
    signal.addEventListener("abort", done);
    if (signal.aborted) done();
  });
}
