/**
 * The frame of the pages for signed-in people. Its heading is the same for everybody, so it stands while the server is asked who is
 * there and while the page's chunk is on its way, and stays when both have come.
 */
import { Suspense } from "react";
import { ContentSpinner } from "../ui/Spinner.tsx";
import { Screen } from "./pages.tsx";
import { leadOf, type PersonalScreenName, screenTitles } from "./screens.ts";

interface Props {
  screen: PersonalScreenName;
  /** Whether it is still unknown who is there. */
  isWaiting: boolean;
}

export function PersonalPage({ screen, isWaiting }: Props) {
  return (
    <main id="main" className="page" tabIndex={-1}>
      <div className="title">
        <h1>{screenTitles[screen]}</h1>
        <p>{leadOf(screen)}</p>
      </div>
      {/* A new one once it is known who is there: React would keep the spinner, hidden, beside the next. */}
      <Suspense key={String(isWaiting)} fallback={<ContentSpinner />}>
        {isWaiting ? <ContentSpinner /> : <Screen screen={screen} />}
      </Suspense>
    </main>
  );
}
