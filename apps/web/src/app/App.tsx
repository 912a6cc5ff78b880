import { Fragment, Suspense, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { countEvent } from "../api/client.ts";
import { setLeftPage, useSessionLost } from "../api/session/lost-session.ts";
import { forgetUser, useOtherTabs, useSession } from "../api/session/session.ts";
import { catchEarlyKey } from "../features/palette/early-keys.ts";
import { loadTexts } from "../texts/load-texts.ts";
import { t } from "../texts/texts.ts";
import { ContentSpinner, PageSpinner } from "../ui/Spinner.tsx";
import { TooltipLayer } from "../ui/TooltipLayer.tsx";
import { closeToast, readToast, subscribeToToast } from "../ui/toast-store.ts";
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

/** The inactivity watch is loaded until that succeeds: without it nobody is signed out. */
const loadTimeout = async () => {
  await loadTexts("app");
  return (await import("./session-timeout/SessionTimeout.tsx")).SessionTimeout;
};

function LazySessionTimeout({ userId }: { userId: string }) {
  const late = useLate(true, loadTimeout);
  return late === null ? null : <late.component userId={userId} />;
}

/** Loads with the first toast; earlier on pages with requests, whose "connection lost" can't wait for a download. */
const loadToaster = async () => (await import("../ui/Toaster.tsx")).Toaster;

function LazyToaster({ early }: { early: boolean }) {
  const [wanted, setWanted] = useState(() => readToast() !== null);
  useEffect(() => subscribeToToast(() => setWanted(true)), []);
  const late = useLate(wanted || early, loadToaster);
  return late === null ? null : <late.component />;
}

interface PersonalPageProps {
  screen: PersonalScreenName;
  /** Another user gets a fresh page; `null` while the session is checked. */
  userId: string | null | undefined;
}

/** The heading is the same for everybody, so it shows while the session check and the chunk load. */
function PersonalPage({ screen, userId }: PersonalPageProps) {
  const isWaiting = userId === null;
  return (
    <main id="main" className="page" tabIndex={-1}>
      <div className="title">
        <h1>{screenTitles[screen]}</h1>
        <p>{leadOf(screen)}</p>
      </div>
      {/* Without the key React would keep the hidden spinner beside the next one. */}
      <Suspense key={userId} fallback={<ContentSpinner />}>
        {isWaiting ? <ContentSpinner /> : <ScreenPage screen={screen} />}
      </Suspense>
    </main>
  );
}

/** A page also changes at the same path: to the sign-in form and back. */
function useRouteEffects(path: string, screen: ScreenName | null): void {
  const last = useRef<string>(null);
  const countedPath = useRef<string>(null);
  useEffect(() => {
    document.title = pageTitle(screen);
  }, [screen]);
  useEffect(() => {
    // Counts a page once, although React's strict mode runs effects twice.
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
    // A palette that was opened while the page loaded keeps the focus.
    if (document.querySelector(".palette") === null)
      document.querySelector<HTMLElement>("main")?.focus({ preventScroll: true });
  }, [path, screen]);
}

/** A file dropped beside its target would replace the page, and typed text with it. */
function refuse(event: DragEvent): void {
  // Forms that accept files have called preventDefault already.
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

/** The sign-in over a page whose session was lost; until its code has loaded, nothing of the page is drawn either. */
const loadSessionOver = async () => {
  await loadTexts("app");
  const [{ withQueries }, { SessionOver }] = await Promise.all([
    import("./with-queries.tsx"),
    import("../features/auth/SessionOver.tsx"),
  ]);
  return withQueries(SessionOver);
};

/** @returns whether a page of the user waits for the next sign-in; pages for everybody are left as signed-out ones */
function useLostSession(isPersonalPage: boolean): boolean {
  const isLost = useSessionLost();
  const mustLeave = isLost && !isPersonalPage;
  useEffect(() => {
    if (mustLeave) forgetUser();
  }, [mustLeave]);
  return isLost && isPersonalPage;
}

function LazySessionOver({ wanted }: { wanted: boolean }) {
  const late = useLate(wanted, loadSessionOver);
  const before = useRef<Element>(null);
  useLayoutEffect(() => {
    // The browser takes the focus from what is not drawn.
    if (wanted) before.current = document.activeElement;
    document.documentElement.toggleAttribute("data-over", wanted);
    // The toast may name an address, or be about the call that was refused.
    if (wanted) setTimeout(closeToast);
  }, [wanted]);
  return wanted && late !== null ? <late.component findFocus={() => before.current} /> : null;
}

/** The command palette, and what can be dropped on any page; until somebody is signed in, Ctrl-K is the browser's. */
const loadAnywhere = async () => {
  await loadTexts("app");
  return (await import("./shell/Anywhere.tsx")).Anywhere;
};

function LazyAnywhere() {
  const keys = useLate(true, loadAnywhere);
  const isWaiting = keys === null;
  useEffect(() => {
    if (!isWaiting) return;
    window.addEventListener("keydown", catchEarlyKey, true);
    return () => window.removeEventListener("keydown", catchEarlyKey, true);
  }, [isWaiting]);
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
  /** The page is prerendered for signed-out visitors, so it stays visible while the session is checked. */
  isDrawn: boolean;
}

function Frame({ isDrawn }: Props) {
  const [location, navigate] = useLocation();
  const session = useSession();
  const isWaiting = session.isLoading && !isDrawn;
  const path = normalizePath(location);
  // The visible toast may be about the user who was signed in.
  useOtherTabs((inactive) => {
    if (!inactive) return closeToast();
    setLeftPage(window.location.pathname + window.location.search);
    sayLoggedOut();
    navigate("/home");
  });
  const screen = screenFor(path, session.user !== null, session.user?.isAdmin);
  const personal = isWaiting ? personalScreenAt(path) : isPersonal(screen) ? screen : null;
  useNoFileNavigation();
  const { user } = session;
  const isOver = useLostSession(personal !== null) && user !== null;
  useRouteEffects(path, personal ?? (isWaiting ? null : screen));
  return (
    <>
      <div className={isWaiting ? "shell" : (shellClasses[screen] ?? "shell")}>
        <a className="skip" href="#main">
          {t("Skip to content")}
        </a>
        <TopBar user={user} isWaiting={isWaiting} path={path} />
        <ConnectionBar />
        <ErrorBoundary key={path}>
          {personal === null ? (
            <Suspense fallback={<PageSpinner />}>
              {isWaiting ? <PageSpinner /> : <ScreenPage screen={screen} />}
            </Suspense>
          ) : (
            <PersonalPage screen={personal} userId={isWaiting ? null : user?.id} />
          )}
        </ErrorBoundary>
        <Footer />
      </div>
      {user === null ? null : (
        <Fragment key={user.id}>
          {isOver ? null : <LazyAnywhere />}
          <LazySessionTimeout userId={user.id} />
        </Fragment>
      )}
      <LazySessionOver wanted={isOver} />
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
