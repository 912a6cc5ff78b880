/** The frame of every page and the choice of the page. Signed-in pages come as chunks of their own. */
import { type ComponentType, lazy, Suspense } from "react";
import { useLocation } from "wouter";
import { useSession } from "../api/session.ts";
import { LandingPage } from "../pages/LandingPage.tsx";
import { NotFoundPage } from "../pages/NotFoundPage.tsx";
import { TitlePage } from "../pages/TitlePage.tsx";
import { LazyToaster } from "../ui/LazyToaster.tsx";
import { PageSpinner } from "../ui/Spinner.tsx";
import { TooltipLayer } from "../ui/TooltipLayer.tsx";
import { ErrorBoundary } from "./ErrorBoundary.tsx";
import { useLostSessionExit } from "./lost-session-exit.ts";
import { normalizePath } from "./path.ts";
import { useRouteEffects } from "./route-effects.ts";
import { type ScreenName, screenFor, screenTitles } from "./screens.ts";
import { Footer } from "./shell/Footer.tsx";
import { TopBar } from "./shell/TopBar.tsx";

const pages: Partial<Record<ScreenName, ComponentType>> = {
  landing: LandingPage,
  auth: lazy(async () => ({ default: (await import("../pages/AuthPage.tsx")).SignInPage })),
  register: lazy(async () => ({ default: (await import("../pages/AuthPage.tsx")).RegisterPage })),
  dashboard: lazy(async () => ({ default: (await import("../pages/DashboardPage.tsx")).DashboardPage })),
  compose: lazy(async () => ({ default: (await import("../pages/ComposePage.tsx")).ComposePage })),
  decrypt: lazy(async () => ({ default: (await import("../pages/DecryptPage.tsx")).DecryptPage })),
  settings: lazy(async () => ({ default: (await import("../pages/SettingsPage.tsx")).SettingsPage })),
  preview: lazy(async () => ({ default: (await import("../pages/PreviewPage.tsx")).PreviewPage })),
  confirm: lazy(async () => ({ default: (await import("../pages/ConfirmPage.tsx")).ConfirmPage })),
  about: lazy(async () => ({ default: (await import("../pages/AboutPage.tsx")).AboutPage })),
  privacy: lazy(async () => ({ default: (await import("../pages/PrivacyPage.tsx")).PrivacyPage })),
  terms: lazy(async () => ({ default: (await import("../pages/TermsPage.tsx")).TermsPage })),
  gdpr: lazy(async () => ({ default: (await import("../pages/GdprPage.tsx")).GdprPage })),
  transparency: lazy(async () => ({ default: (await import("../pages/TransparencyPage.tsx")).TransparencyPage })),
  forgot: lazy(async () => ({ default: (await import("../pages/ForgotPage.tsx")).ForgotPage })),
  reset: lazy(async () => ({ default: (await import("../pages/ResetPage.tsx")).ResetPage })),
  "confirm-email": lazy(async () => ({ default: (await import("../pages/ConfirmEmailPage.tsx")).ConfirmEmailPage })),
  "not-found": NotFoundPage,
};

function Screen({ screen }: { screen: ScreenName }) {
  const Page = pages[screen];
  return Page ? <Page /> : <TitlePage title={screenTitles[screen]} />;
}

const shellClasses: Partial<Record<ScreenName, string>> = {
  landing: "shell landing",
  auth: "shell auth",
  register: "shell auth",
  forgot: "shell auth",
  reset: "shell auth",
};

export function App() {
  const [location] = useLocation();
  const session = useSession();
  const path = normalizePath(location);
  const screen = screenFor(path, session.user !== null);
  useLostSessionExit(screen);
  useRouteEffects(path, session.isLoading ? "" : screenTitles[screen]);
  return (
    <>
      <div className={session.isLoading ? "shell" : (shellClasses[screen] ?? "shell")}>
        <a className="skip" href="#main">
          Skip to content
        </a>
        <TopBar session={session} path={path} />
        <ErrorBoundary key={path}>
          <Suspense fallback={<PageSpinner />}>
            {session.isLoading ? <PageSpinner /> : <Screen screen={screen} />}
          </Suspense>
        </ErrorBoundary>
        <Footer />
      </div>
      <TooltipLayer />
      <LazyToaster />
    </>
  );
}
