/**
 * The frame of pages for signed-in users. Its heading is the same for everybody, so it is shown while the session is
 * checked and the page's chunk loads, and stays when both have finished.
 */
import { Suspense } from "react";
import { ContentSpinner } from "../ui/Spinner.tsx";
import { Screen } from "./pages.tsx";
import { leadOf, type PersonalScreenName, screenTitles } from "./screens.ts";

interface Props {
  screen: PersonalScreenName;
  /** Whether the session is still being checked. */
  isWaiting: boolean;
}

export function PersonalPage({ screen, isWaiting }: Props) {
  return (
    <main id="main" className="page" tabIndex={-1}>
      <div className="title">
        <h1>{screenTitles[screen]}</h1>
        <p>{leadOf(screen)}</p>
      </div>
      {/* The key remounts Suspense once the session is known: otherwise React would keep the spinner, hidden,
          beside the next one. */}
      <Suspense key={String(isWaiting)} fallback={<ContentSpinner />}>
        {isWaiting ? <ContentSpinner /> : <Screen screen={screen} />}
      </Suspense>
    </main>
  );
}
