/** Only pages with many server calls load the query library. */
import type { ComponentType } from "react";
import { LandingPage } from "../pages/LandingPage.tsx";
import { NotFoundPage } from "../pages/NotFoundPage.tsx";
import { type Preloadable, preloadable } from "./preloadable.tsx";
import type { ScreenName } from "./screens.ts";

function preloadableWithQueries(fetchPage: () => Promise<ComponentType>): Preloadable {
  return preloadable(async () => {
    const [{ withQueries }, Page] = await Promise.all([import("./with-queries.tsx"), fetchPage()]);
    return withQueries(Page);
  });
}

const included = (Page: ComponentType): Preloadable => ({ Page, load: async () => {} });

const pages: Readonly<Record<ScreenName, Preloadable>> = {
  landing: included(LandingPage),
  auth: preloadableWithQueries(async () => (await import("../pages/AuthPage.tsx")).SignInPage),
  register: preloadableWithQueries(async () => (await import("../pages/AuthPage.tsx")).RegisterPage),
  dashboard: preloadableWithQueries(async () => (await import("../pages/DashboardPage.tsx")).DashboardPage),
  compose: preloadableWithQueries(async () => (await import("../pages/ComposePage.tsx")).ComposePage),
  decrypt: preloadableWithQueries(async () => (await import("../pages/DecryptPage.tsx")).DecryptPage),
  settings: preloadableWithQueries(async () => (await import("../pages/SettingsPage.tsx")).SettingsPage),
  move: preloadableWithQueries(async () => (await import("../pages/MovePage.tsx")).MovePage),
  preview: preloadableWithQueries(async () => (await import("../pages/PreviewPage.tsx")).PreviewPage),
  confirm: preloadableWithQueries(async () => (await import("../pages/ConfirmPage.tsx")).ConfirmPage),
  "confirm-email": preloadableWithQueries(async () => (await import("../pages/MailedLinkPages.tsx")).ConfirmEmailPage),
  "new-email": preloadableWithQueries(async () => (await import("../pages/MailedLinkPages.tsx")).NewEmailPage),
  forgot: preloadableWithQueries(async () => (await import("../pages/ForgottenPasswordPages.tsx")).ForgotPage),
  reset: preloadableWithQueries(async () => (await import("../pages/ForgottenPasswordPages.tsx")).ResetPage),
  "sign-in-link": preloadableWithQueries(async () => (await import("../pages/MailedLinkPages.tsx")).SignInLinkPage),
  about: preloadable(async () => (await import("../pages/static-pages.ts")).AboutPage),
  privacy: preloadable(async () => (await import("../pages/static-pages.ts")).PrivacyPage),
  terms: preloadable(async () => (await import("../pages/static-pages.ts")).TermsPage),
  gdpr: preloadable(async () => (await import("../pages/static-pages.ts")).GdprPage),
  transparency: preloadable(async () => (await import("../pages/static-pages.ts")).TransparencyPage),
  docs: preloadable(async () => (await import("../pages/guides.ts")).DocsPage),
  "docs-smtp": preloadable(async () => (await import("../pages/guides.ts")).SmtpGuidePage),
  "docs-clients": preloadable(async () => (await import("../pages/guides.ts")).ClientsGuidePage),
  "docs-moving": preloadable(async () => (await import("../pages/guides.ts")).MovingGuidePage),
  "not-found": included(NotFoundPage),
};

export async function loadScreen(screen: ScreenName): Promise<void> {
  await pages[screen].load();
}

export function ScreenPage({ screen }: { screen: ScreenName }) {
  const { Page } = pages[screen];
  return <Page />;
}
