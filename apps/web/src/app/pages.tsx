/** Only pages with many server calls load the query library. */
import type { ComponentType } from "react";
import { LandingPage } from "../pages/LandingPage.tsx";
import { NotFoundPage } from "../pages/NotFoundPage.tsx";
import { type Preloadable, preloadable } from "./preloadable.tsx";
import type { ScreenName } from "./screens.ts";

type Imports<Name extends string> = () => Promise<Record<Name, ComponentType>>;

/** Takes the name apart from the import: Vite would wrap each `(await import(…)).Name` in a function of its own. */
function alone<Name extends string>(load: Imports<Name>, name: Name): Preloadable {
  return preloadable(async () => (await load())[name]);
}

function withClient<Name extends string>(load: Imports<Name>, name: Name): Preloadable {
  return preloadable(async () => {
    const [{ withQueries }, pages] = await Promise.all([import("./with-queries.tsx"), load()]);
    return withQueries(pages[name]);
  });
}

const included = (Page: ComponentType): Preloadable => ({ Page, load: async () => {} });

const pages: Readonly<Record<ScreenName, Preloadable>> = {
  landing: included(LandingPage),
  auth: withClient(() => import("../pages/AuthPage.tsx"), "SignInPage"),
  register: withClient(() => import("../pages/AuthPage.tsx"), "RegisterPage"),
  dashboard: withClient(() => import("../pages/DashboardPage.tsx"), "DashboardPage"),
  compose: withClient(() => import("../pages/ComposePage.tsx"), "ComposePage"),
  decrypt: withClient(() => import("../pages/DecryptPage.tsx"), "DecryptPage"),
  settings: withClient(() => import("../pages/SettingsPage.tsx"), "SettingsPage"),
  admin: withClient(() => import("../pages/AdminPage.tsx"), "AdminPage"),
  move: withClient(() => import("../pages/MovePage.tsx"), "MovePage"),
  preview: withClient(() => import("../pages/PreviewPage.tsx"), "PreviewPage"),
  confirm: withClient(() => import("../pages/ConfirmPage.tsx"), "ConfirmPage"),
  "confirm-email": withClient(() => import("../pages/mailed-links.ts"), "ConfirmEmailPage"),
  "new-email": withClient(() => import("../pages/mailed-links.ts"), "NewEmailPage"),
  forgot: withClient(() => import("../pages/mailed-links.ts"), "ForgotPage"),
  reset: withClient(() => import("../pages/mailed-links.ts"), "ResetPage"),
  "sign-in-link": withClient(() => import("../pages/mailed-links.ts"), "SignInLinkPage"),
  about: alone(() => import("../pages/static-pages.ts"), "AboutPage"),
  privacy: alone(() => import("../pages/static-pages.ts"), "PrivacyPage"),
  terms: alone(() => import("../pages/static-pages.ts"), "TermsPage"),
  gdpr: alone(() => import("../pages/static-pages.ts"), "GdprPage"),
  transparency: alone(() => import("../pages/static-pages.ts"), "TransparencyPage"),
  docs: alone(() => import("../pages/guides.ts"), "DocsPage"),
  "docs-smtp": alone(() => import("../pages/guides.ts"), "SmtpGuidePage"),
  "docs-clients": alone(() => import("../pages/guides.ts"), "ClientsGuidePage"),
  "docs-moving": alone(() => import("../pages/guides.ts"), "MovingGuidePage"),
  "not-found": included(NotFoundPage),
};

export async function loadScreen(screen: ScreenName): Promise<void> {
  await pages[screen].load();
}

export function ScreenPage({ screen }: { screen: ScreenName }) {
  const { Page } = pages[screen];
  return <Page />;
}
