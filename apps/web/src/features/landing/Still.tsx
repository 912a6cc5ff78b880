/**
 * The sections that only stand there, kept as they were drawn into the document: nothing in them needs script, so their code is
 * fetched only when the landing page is come to from another one.
 */
import { Suspense, useState, useSyncExternalStore } from "react";
import { later } from "../../app/later.tsx";

const sections = later(async () => (await import("./StillSections.tsx")).StillSections);

/** Before pages are drawn at build time. */
export const loadStill = sections.load;

const neverChanges = () => () => {};

/** Whether this is the first drawing of a page that came drawn. */
function useIsTakenOver(): boolean {
  const isNow = useSyncExternalStore(
    neverChanges,
    () => false,
    () => true,
  );
  const [wasAtFirst] = useState(isNow);
  return wasAtFirst && !import.meta.env.SSR;
}

/** What React is told not to look into stays: it compares no inner HTML as it takes a page over, and sets none later. */
const asDrawn = { __html: "" };

export function Still() {
  // oxlint-disable-next-line react/no-danger -- No HTML is set: what is there is left alone.
  if (useIsTakenOver()) return <div className="contents" suppressHydrationWarning dangerouslySetInnerHTML={asDrawn} />;
  return (
    <div className="contents">
      <Suspense>
        <sections.Page />
      </Suspense>
    </div>
  );
}
