/**
 * The page of each screen. All but the landing page are separate chunks; pages with many server calls load the query
 * library too.
 */
import type { ComponentType } from "react";
import { LandingPage } from "../pages/LandingPage.tsx";
import { NotFoundPage } from "../pages/NotFoundPage.tsx";
import { type Later, later } from "./later.tsx";
import type { ScreenName } from "./screens.ts";

function laterWithQueries(fetchPage: () => Promise<ComponentType>): Later {
  return later(async () => {
    const [{ withQueries }, Page] = await Promise.all([import("./with-queries.tsx"), fetchPage()]);
    return withQueries(Page);
  });
}

const atOnce = (Page: ComponentType): Later => ({ Page, load: async () => {} });

const pages: Readonly<Record<ScreenName, Later>> = {
  landing: atOnce(LandingPage),
  auth: laterWithQueries(async () => (await import("../pages/AuthPage.tsx")).SignInPage),
  register: laterWithQueries(async () => (await import("../pages/AuthPage.tsx")).RegisterPage),
  dashboard: laterWithQueries(async () => (await import("../pages/DashboardPage.tsx")).DashboardPage),
  compose: laterWithQueries(async () => (await import("../pages/ComposePage.tsx")).ComposePage),
  decrypt: laterWithQueries(async () => (await import("../pages/DecryptPage.tsx")).DecryptPage),
  settings: laterWithQueries(async () => (await import("../pages/SettingsPage.tsx")).SettingsPage),
  preview: laterWithQueries(async () => (await import("../pages/PreviewPage.tsx")).PreviewPage),
  confirm: laterWithQueries(async () => (await import("../pages/ConfirmPage.tsx")).ConfirmPage),
  "confirm-email": laterWithQueries(async () => (await import("../pages/ConfirmEmailPage.tsx")).ConfirmEmailPage),
  "new-email": laterWithQueries(async () => (await import("../pages/NewEmailPage.tsx")).NewEmailPage),
  forgot: laterWithQueries(async () => (await import("../pages/ForgotPage.tsx")).ForgotPage),
  reset: laterWithQueries(async () => (await import("../pages/ResetPage.tsx")).ResetPage),
  "sign-in-link": laterWithQueries(async () => (await import("../pages/SignInLinkPage.tsx")).SignInLinkPage),
  about: later(async () => (await import("../pages/AboutPage.tsx")).AboutPage),
  privacy: later(async () => (await import("../pages/PrivacyPage.tsx")).PrivacyPage),
  terms: later(async () => (await import("../pages/TermsPage.tsx")).TermsPage),
  gdpr: later(async () => (await import("../pages/GdprPage.tsx")).GdprPage),
  transparency: later(async () => (await import("../pages/TransparencyPage.tsx")).TransparencyPage),
  docs: later(async () => (await import("../pages/DocsPage.tsx")).DocsPage),
  "docs-smtp": later(async () => (await import("../pages/SmtpGuidePage.tsx")).SmtpGuidePage),
  "not-found": atOnce(NotFoundPage),
};

export async function loadScreen(screen: ScreenName): Promise<void> {
  await pages[screen].load();
}

export function Screen({ screen }: { screen: ScreenName }) {
  const { Page } = pages[screen];
  return <Page />;
}
