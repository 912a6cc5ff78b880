/**
 * The sections that only stand there, kept as they were drawn into the document: nothing in them needs script, so their code is
 * fetched only when the landing page is come to from another one.
 */
import { Suspense, useState } from "react";
import { later } from "../../app/later.tsx";
import { useIsLive } from "../../ui/use-is-live.ts";

const parts = {
  features: later(async () => (await import("./StillSections.tsx")).FeatureRow),
  pillars: later(async () => (await import("./StillSections.tsx")).Pillars),
  story: later(async () => (await import("./StillSections.tsx")).Story),
};

/** Before pages are drawn at build time. */
export async function loadStill(): Promise<void> {
  await Promise.all(Object.values(parts).map((part) => part.load()));
}

/** Whether this is the first drawing of a page that came drawn. */
function useIsTakenOver(): boolean {
  const [wasAtFirst] = useState(!useIsLive());
  return wasAtFirst && !import.meta.env.SSR;
}

/** What React is told not to look into stays: it compares no inner HTML as it takes a page over, and sets none later. */
const asDrawn = { __html: "" };

export function Still({ part }: { part: keyof typeof parts }) {
  const { Page } = parts[part];
  const isTakenOver = useIsTakenOver();
  // oxlint-disable-next-line react/no-danger -- No HTML is set: what is there is left alone.
  if (isTakenOver) return <div className="contents" suppressHydrationWarning dangerouslySetInnerHTML={asDrawn} />;
  return (
    <div className="contents">
      <Suspense>
        <Page />
      </Suspense>
    </div>
  );
}
