/**
 * The landing page's static sections, which keep their prerendered HTML: nothing in them needs script, so their code is
 * loaded only if the landing page is reached from another page.
 */
import { Suspense, useState } from "react";
import { later } from "../../app/later.tsx";
import { useIsLive } from "../../ui/use-is-live.ts";

const parts = {
  features: later(async () => (await import("./StillSections.tsx")).FeatureRow),
  pillars: later(async () => (await import("./StillSections.tsx")).Pillars),
  story: later(async () => (await import("./StillSections.tsx")).Story),
};

/** Loads the static sections before pages are prerendered at build time. */
export async function loadStill(): Promise<void> {
  await Promise.all(Object.values(parts).map((part) => part.load()));
}

/** Whether this render hydrates a prerendered page. */
function useIsTakenOver(): boolean {
  const [wasAtFirst] = useState(!useIsLive());
  return wasAtFirst && !import.meta.env.SSR;
}

/** Makes React keep the existing HTML: it does not compare inner HTML while hydrating, and sets none later. */
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
