/** The frame around every page, and the choice of the page by path and session. */
import { Fragment, Suspense } from "react";
import { useLocation } from "wouter";
import { useOtherTabs, useSession } from "../api/session/session.ts";
import { LazyToaster } from "../ui/LazyToaster.tsx";
import { PageSpinner } from "../ui/Spinner.tsx";
import { dismissToast } from "../ui/toast-store.ts";
import { TooltipLayer } from "../ui/tooltip/TooltipLayer.tsx";
import { useLate } from "../ui/use-late.ts";
import { ErrorBoundary } from "./ErrorBoundary.tsx";
import { useLostSessionExit } from "./lost-session-exit.ts";
import { useNoFileNavigation } from "./no-file-navigation.ts";
import { PersonalPage } from "./PersonalPage.tsx";
import { Screen } from "./pages.tsx";
import { normalizePath } from "./path.ts";
import { useRouteEffects } from "./route-effects.ts";
import { isPersonal, personalScreenAt, type ScreenName, screenFor } from "./screens.ts";
import { LazySessionTimeout } from "./session-timeout/LazySessionTimeout.tsx";
import { ConnectionBar } from "./shell/ConnectionBar.tsx";
import { Footer } from "./shell/Footer.tsx";
import { TopBar } from "./shell/TopBar.tsx";
import { sayLoggedOut } from "./use-log-out.ts";

/** Loads what opens the command palette once somebody is signed in; until then the browser's own Ctrl-K works. */
const load = async () => (await import("../features/palette/PaletteKeys.tsx")).PaletteKeys;

export function LazyPalette() {
  const keys = useLate(true, load);
  return keys === null ? null : <keys.component />;
}

const shellClasses: Partial<Record<ScreenName, string>> = {
  landing: "shell landing",
  auth: "shell auth",
  register: "shell auth",
  forgot: "shell auth",
  reset: "shell auth",
  "sign-in-link": "shell auth",
};

interface Props {
  /**
   * Whether the page was prerendered for signed-out visitors; it then stays visible while the session is being checked.
   */
  isDrawn: boolean;
}

function Frame({ isDrawn }: Props) {
  const [location, navigate] = useLocation();
  const session = useSession();
  const isWaiting = session.isLoading && !isDrawn;
  const path = normalizePath(location);
  // When another tab signs out, hide the visible toast: it may be about the user who was signed in.
  useOtherTabs((inactive) => {
    if (!inactive) return dismissToast();
    sayLoggedOut();
    navigate("/home");
  });
  const screen = screenFor(path, session.user !== null);
  const personal = isWaiting ? personalScreenAt(path) : isPersonal(screen) ? screen : null;
  useNoFileNavigation();
  // A lost session names nobody any more, although the dashboard still shows its message.
  const user = useLostSessionExit(screen) ? null : session.user;
  useRouteEffects(path, personal ?? (isWaiting ? null : screen));
  return (
    <>
      <div className={isWaiting ? "shell" : (shellClasses[screen] ?? "shell")}>
        <a className="skip" href="#main">
          Skip to content
        </a>
        <TopBar user={user} isWaiting={isWaiting} path={path} />
        <ConnectionBar />
        <ErrorBoundary key={path}>
          {personal === null ? (
            <Suspense fallback={<PageSpinner />}>{isWaiting ? <PageSpinner /> : <Screen screen={screen} />}</Suspense>
          ) : (
            <PersonalPage screen={personal} isWaiting={isWaiting} />
          )}
        </ErrorBoundary>
        <Footer />
      </div>
      {user === null ? null : (
        <Fragment key={user.id}>
          <LazyPalette />
          <LazySessionTimeout userId={user.id} />
        </Fragment>
      )}
      <TooltipLayer />
      <LazyToaster early={session.user !== null || shellClasses[screen] === "shell auth"} />
    </>
  );
}

export function App({ isDrawn }: Props) {
  return (
    <ErrorBoundary>
      <Frame isDrawn={isDrawn} />
    </ErrorBoundary>
  );
}
