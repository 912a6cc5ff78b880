/**
 * Which open page a form's draft belongs to, so that two tabs don't overwrite each other's. A page that is opened or
 * reloaded continues the newest one that no open page says is its own.
 */

/** Milliseconds that other tabs have to say that a draft is theirs. */
const CLAIM_MS = 100;

type PageMessage = { kind: "whose"; pages: string[] } | { kind: "mine"; page: string };

const ownPage = Math.random().toString(36).slice(2);
/** For each question in progress, the pages that have replied. */
const questions = new Set<Set<string>>();
let channel: BroadcastChannel | null = null;

const say = (message: PageMessage) => channel?.postMessage(message);

/** Replies from now on when another tab asks. */
function listen(): void {
  if (channel !== null) return;
  channel = new BroadcastChannel("draft-pages");
  channel.onmessage = ({ data }: MessageEvent<PageMessage>) => {
    if (data.kind === "mine") for (const claimed of questions) claimed.add(data.page);
    else if (data.pages.includes(ownPage)) say({ kind: "mine", page: ownPage });
  };
}

/** The id under which this page stores its draft. */
export function ownId(id: string): string {
  listen();
  return `${id}@${ownPage}`;
}

export const formIdOf = (stored: string): string => stored.slice(0, stored.lastIndexOf("@"));

const pageOf = (stored: string): string => stored.slice(stored.lastIndexOf("@") + 1);

/** @returns those that belong to this page or to none that is open */
export async function notOfOthers<T extends { id: string }>(drafts: readonly T[]): Promise<T[]> {
  const isOwn = ({ id }: T) => pageOf(id) === ownPage;
  if (drafts.every(isOwn)) return [...drafts];
  listen();
  const claimed = new Set<string>();
  questions.add(claimed);
  say({ kind: "whose", pages: drafts.map(({ id }) => pageOf(id)) });
  await new Promise((resolve) => setTimeout(resolve, CLAIM_MS));
  questions.delete(claimed);
  return drafts.filter((draft) => isOwn(draft) || !claimed.has(pageOf(draft.id)));
}
