/** Only pages with many server calls load the query library. */
import type { ComponentType } from "react";
import { LandingPage } from "../pages/LandingPage.tsx";
import { NotFoundPage } from "../pages/NotFoundPage.tsx";
import { loadTexts, type TextPart } from "../texts/load-texts.ts";
import { type Preloadable, preloadable } from "./preloadable.tsx";
import type { ScreenName } from "./screens.ts";

type Imports<Name extends string> = () => Promise<Record<Name, ComponentType>>;

/** Takes the name apart from the import: Vite would wrap each `(await import(…)).Name` in a function of its own. */
function alone<Name extends string>(load: Imports<Name>, name: Name, texts?: TextPart): Preloadable {
  return preloadable(async () => {
    await loadTexts(texts);
    return (await load())[name];
  });
}

function withClient<Name extends string>(load: Imports<Name>, name: Name): Preloadable {
  return preloadable(async () => {
    await loadTexts("app");
    const [{ withQueries }, pages] = await Promise.all([import("./with-queries.tsx"), load()]);
    return withQueries(pages[name]);
  });
}

const included = (Page: ComponentType): Preloadable => ({ Page, load: async () => {} });

// One import each: Vite adds the list of its chunks to every import.
const authPages = () => import("../pages/AuthPage.tsx");
const mailedLinks = () => import("../pages/mailed-links.ts");
const staticPages = () => import("../pages/static-pages.ts");
const guides = () => import("../pages/guides.ts");

const pages: Readonly<Record<ScreenName, Preloadable>> = {
  landing: included(LandingPage),
  auth: withClient(authPages, "SignInPage"),
  register: withClient(authPages, "RegisterPage"),
  dashboard: withClient(() => import("../pages/DashboardPage.tsx"), "DashboardPage"),
  compose: withClient(() => import("../pages/ComposePage.tsx"), "ComposePage"),
  decrypt: withClient(() => import("../pages/DecryptPage.tsx"), "DecryptPage"),
  settings: withClient(() => import("../pages/SettingsPage.tsx"), "SettingsPage"),
  admin: withClient(() => import("../pages/AdminPage.tsx"), "AdminPage"),
  move: withClient(() => import("../pages/MovePage.tsx"), "MovePage"),
  preview: withClient(() => import("../pages/PreviewPage.tsx"), "PreviewPage"),
  confirm: withClient(() => import("../pages/ConfirmPage.tsx"), "ConfirmPage"),
  "confirm-email": withClient(mailedLinks, "ConfirmEmailPage"),
  "new-email": withClient(mailedLinks, "NewEmailPage"),
  forgot: withClient(mailedLinks, "ForgotPage"),
  reset: withClient(mailedLinks, "ResetPage"),
  "sign-in-link": withClient(mailedLinks, "SignInLinkPage"),
  about: alone(staticPages, "AboutPage"),
  privacy: alone(staticPages, "PrivacyPage"),
  terms: alone(staticPages, "TermsPage"),
  gdpr: alone(staticPages, "GdprPage"),
  transparency: alone(staticPages, "TransparencyPage"),
  docs: alone(guides, "DocsPage", "guides"),
  "docs-smtp": alone(guides, "SmtpGuidePage", "guides"),
  "docs-clients": alone(guides, "ClientsGuidePage", "guides"),
  "docs-moving": alone(guides, "MovingGuidePage", "guides"),
  "not-found": included(NotFoundPage),
};

export async function loadScreen(screen: ScreenName): Promise<void> {
  await pages[screen].load();
}

export function ScreenPage({ screen }: { screen: ScreenName }) {
  const { Page } = pages[screen];
  return <Page />;
}
