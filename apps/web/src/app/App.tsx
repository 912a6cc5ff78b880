/** The frame of every page and the choice of the page. */
import { Suspense } from "react";
import { useLocation } from "wouter";
import { useSession } from "../api/session.ts";
import { LazyToaster } from "../ui/LazyToaster.tsx";
import { PageSpinner } from "../ui/Spinner.tsx";
import { TooltipLayer } from "../ui/TooltipLayer.tsx";
import { ErrorBoundary } from "./ErrorBoundary.tsx";
import { Screen } from "./pages.tsx";
import { normalizePath } from "./path.ts";
import { useRouteEffects } from "./route-effects.ts";
import { type ScreenName, screenFor } from "./screens.ts";
import { Footer } from "./shell/Footer.tsx";
import { TopBar } from "./shell/TopBar.tsx";

const shellClasses: Partial<Record<ScreenName, string>> = {
  landing: "shell landing",
  auth: "shell auth",
  register: "shell auth",
};

interface Props {
  /** The page was drawn beforehand, for somebody who isn't signed in: it is shown while the session is still asked for. */
  isDrawn: boolean;
}

export function App({ isDrawn }: Props) {
  const [location] = useLocation();
  const session = useSession();
  const isWaiting = session.isLoading && !isDrawn;
  const path = normalizePath(location);
  const screen = screenFor(path, session.user !== null);
  useRouteEffects(path, isWaiting ? null : screen);
  return (
    <>
      <div className={isWaiting ? "shell" : (shellClasses[screen] ?? "shell")}>
        <a className="skip" href="#main">
          Skip to content
        </a>
        <TopBar user={session.user} isWaiting={isWaiting} path={path} />
        <ErrorBoundary key={path}>
          <Suspense fallback={<PageSpinner />}>{isWaiting ? <PageSpinner /> : <Screen screen={screen} />}</Suspense>
        </ErrorBoundary>
        <Footer />
      </div>
      <TooltipLayer />
      <LazyToaster />
    </>
  );
}
