/** The frame around every page, and the choice of the page by path and session. */
import { Fragment, Suspense, useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { countEvent } from "../api/client.ts";
import { sessionLossNote, useSessionLost } from "../api/session/lost-session.ts";
import { leaveSession, useOtherTabs, useSession } from "../api/session/session.ts";
import { ContentSpinner, PageSpinner } from "../ui/Spinner.tsx";
import { TooltipLayer } from "../ui/TooltipLayer.tsx";
import { closeToast, readToast, showFailure, subscribeToToast } from "../ui/toast-store.ts";
import { useLate } from "../ui/use-late.ts";
import { ErrorBoundary } from "./ErrorBoundary.tsx";
import { ScreenPage } from "./pages.tsx";
import { normalizePath } from "./path.ts";
import {
  isPersonal,
  leadOf,
  type PersonalScreenName,
  pageTitle,
  personalScreenAt,
  type ScreenName,
  screenFor,
  screenTitles,
} from "./screens.ts";
import { ConnectionBar } from "./shell/ConnectionBar.tsx";
import { Footer } from "./shell/Footer.tsx";
import { TopBar } from "./shell/TopBar.tsx";
import { sayLoggedOut } from "./use-log-out.ts";

/** Loads the inactivity watch once a user is signed in, and retries if that fails: without it nobody is signed out. */

const loadTimeout = async () => (await import("./session-timeout/SessionTimeout.tsx")).SessionTimeout;

function LazySessionTimeout({ userId }: { userId: string }) {
  const late = useLate(true, loadTimeout);
  return late === null ? null : <late.component userId={userId} />;
}

/**
 * Keeps the toaster out of the initial load: its code loads with the first toast, or earlier on pages where requests
 * can fail, because a toast about a lost connection can't wait for a download.
 */

const loadToaster = async () => (await import("../ui/Toaster.tsx")).Toaster;

function LazyToaster({ early }: { early: boolean }) {
  const [wanted, setWanted] = useState(() => readToast() !== null);
  useEffect(() => subscribeToToast(() => setWanted(true)), []);
  const late = useLate(wanted || early, loadToaster);
  return late === null ? null : <late.component />;
}

/**
 * The frame of pages for signed-in users. Its heading is the same for everybody, so it is shown while the session is
 * checked and the page's chunk loads, and stays when both have finished.
 */

interface PersonalPageProps {
  screen: PersonalScreenName;
  /** Whether the session is still being checked. */
  isWaiting: boolean;
}

function PersonalPage({ screen, isWaiting }: PersonalPageProps) {
  return (
    <main id="main" className="page" tabIndex={-1}>
      <div className="title">
        <h1>{screenTitles[screen]}</h1>
        <p>{leadOf(screen)}</p>
      </div>
      {/* The key remounts Suspense once the session is known: otherwise React would keep the spinner, hidden,
          beside the next one. */}
      <Suspense key={String(isWaiting)} fallback={<ContentSpinner />}>
        {isWaiting ? <ContentSpinner /> : <ScreenPage screen={screen} />}
      </Suspense>
    </main>
  );
}

/**
 * Effects of every change of page: sets the tab's title, scrolls to the top, focuses the content for keyboard users, and
 * counts a page view. A page also changes at the same path: to the sign-in form and back.
 */
function useRouteEffects(path: string, screen: ScreenName | null): void {
  const last = useRef<string>(null);
  const countedPath = useRef<string>(null);
  useEffect(() => {
    document.title = pageTitle(screen);
  }, [screen]);
  useEffect(() => {
    // React's strict mode runs effects twice; count the view once.
    if (countedPath.current === path) return;
    countedPath.current = path;
    countEvent("page_view");
  }, [path]);
  useEffect(() => {
    if (screen === null) return;
    const before = last.current;
    last.current = path + screen;
    if (before === null || before === last.current) return;
    window.scrollTo({ top: 0, behavior: "instant" });
    document.querySelector<HTMLElement>("main")?.focus({ preventScroll: true });
  }, [path, screen]);
}

/** Prevents the browser from opening a file that was dropped beside its target: typed text would be lost. */
function refuse(event: DragEvent): void {
  // A form that accepts files has already called preventDefault: events reach the window last.
  if (event.defaultPrevented || event.dataTransfer?.types.includes("Files") !== true) return;
  event.preventDefault();
  event.dataTransfer.dropEffect = "none";
}

function useNoFileNavigation(): void {
  useEffect(() => {
    window.addEventListener("dragover", refuse);
    window.addEventListener("drop", refuse);
    return () => {
      window.removeEventListener("dragover", refuse);
      window.removeEventListener("drop", refuse);
    };
  }, []);
}

/**
 * When the server reports that the session has ended, signs out in the browser and says why. The address stays: a page
 * for signed-in users then shows the sign-in form in place of its content, and after the sign-in its content again.
 */

/**
 * The dashboard shows a message in place instead (specification section 2).
 * @returns whether the session is lost
 */
function useLostSessionExit(screen: ScreenName): boolean {
  const isLost = useSessionLost();
  const mustLeave = isLost && screen !== "dashboard";
  useEffect(() => {
    if (!mustLeave) return;
    leaveSession();
    const text = `Your session has ended. Please sign in again.${sessionLossNote()}`;
    // The toast is deferred until after the refused call's own, because only the latest toast is shown.
    setTimeout(() => showFailure("Signed Out", text));
  }, [mustLeave]);
  return isLost;
}

/** Loads what opens the command palette once somebody is signed in; until then the browser's own Ctrl-K works. */
const loadPalette = async () => (await import("../features/palette/PaletteKeys.tsx")).PaletteKeys;

function LazyPalette() {
  const keys = useLate(true, loadPalette);
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
    if (!inactive) return closeToast();
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
            <Suspense fallback={<PageSpinner />}>
              {isWaiting ? <PageSpinner /> : <ScreenPage screen={screen} />}
            </Suspense>
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
