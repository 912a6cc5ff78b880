/** Static sections keep their prerendered HTML; their code loads only when coming from another page. */
import { Suspense, useState } from "react";
import { preloadable } from "../../app/preloadable.tsx";
import { useIsLive } from "../../ui/use-is-live.ts";

const parts = {
  features: preloadable(async () => (await import("./StaticSections.tsx")).FeatureRow),
  pillars: preloadable(async () => (await import("./StaticSections.tsx")).Pillars),
  story: preloadable(async () => (await import("./StaticSections.tsx")).Story),
};

/** Loads the static sections' code, for prerendering. */
export async function loadStaticSections(): Promise<void> {
  await Promise.all(Object.values(parts).map((part) => part.load()));
}

function useIsHydrated(): boolean {
  const [wasPrerendered] = useState(!useIsLive());
  return wasPrerendered && !import.meta.env.SSR;
}

/** Keeps the existing HTML: React doesn't compare inner HTML while hydrating. */
const existingHtml = { __html: "" };

export function StaticSection({ part }: { part: keyof typeof parts }) {
  const { Page } = parts[part];
  const isHydrated = useIsHydrated();
  // oxlint-disable-next-line react/no-danger -- No HTML is set; the existing HTML stays.
  if (isHydrated) return <div className="contents" suppressHydrationWarning dangerouslySetInnerHTML={existingHtml} />;
  return (
    <div className="contents">
      <Suspense>
        <Page />
      </Suspense>
    </div>
  );
}
