/**
 * The page of each screen. All but the landing page come as chunks of their own; those that ask the server much bring the
 * query library along. A chunk that is already here is drawn at once, so that a page drawn beforehand is taken over whole.
 */
import { type ComponentType, lazy, useState } from "react";
import { LandingPage } from "../pages/LandingPage.tsx";
import { NotFoundPage } from "../pages/NotFoundPage.tsx";
import { TitlePage } from "../pages/TitlePage.tsx";
import { type ScreenName, screenTitles } from "./screens.ts";

interface ScreenPage {
  Page: ComponentType;
  /** Fetches the page's chunk. */
  load: () => Promise<unknown>;
}

function later(fetchPage: () => Promise<ComponentType>): ScreenPage {
  let here: ComponentType | null = null;
  const load = async () => {
    here ??= await fetchPage();
    return { default: here };
  };
  const Later = lazy(load);
  function Page() {
    const [Chosen] = useState<ComponentType>(() => here ?? Later);
    return <Chosen />;
  }
  return { Page, load };
}

function laterWithQueries(fetchPage: () => Promise<ComponentType>): ScreenPage {
  return later(async () => {
    const [{ withQueries }, Page] = await Promise.all([import("./with-queries.tsx"), fetchPage()]);
    return withQueries(Page);
  });
}

const atOnce = (Page: ComponentType): ScreenPage => ({ Page, load: async () => {} });

const pages: Partial<Record<ScreenName, ScreenPage>> = {
  landing: atOnce(LandingPage),
  auth: laterWithQueries(async () => (await import("../pages/AuthPage.tsx")).SignInPage),
  register: laterWithQueries(async () => (await import("../pages/AuthPage.tsx")).RegisterPage),
  dashboard: laterWithQueries(async () => (await import("../pages/DashboardPage.tsx")).DashboardPage),
  compose: laterWithQueries(async () => (await import("../pages/ComposePage.tsx")).ComposePage),
  decrypt: laterWithQueries(async () => (await import("../pages/DecryptPage.tsx")).DecryptPage),
  settings: laterWithQueries(async () => (await import("../pages/SettingsPage.tsx")).SettingsPage),
  preview: laterWithQueries(async () => (await import("../pages/PreviewPage.tsx")).PreviewPage),
  confirm: laterWithQueries(async () => (await import("../pages/ConfirmPage.tsx")).ConfirmPage),
  about: later(async () => (await import("../pages/AboutPage.tsx")).AboutPage),
  privacy: later(async () => (await import("../pages/PrivacyPage.tsx")).PrivacyPage),
  terms: later(async () => (await import("../pages/TermsPage.tsx")).TermsPage),
  gdpr: later(async () => (await import("../pages/GdprPage.tsx")).GdprPage),
  transparency: later(async () => (await import("../pages/TransparencyPage.tsx")).TransparencyPage),
  "not-found": atOnce(NotFoundPage),
};

export async function loadScreen(screen: ScreenName): Promise<void> {
  await pages[screen]?.load();
}

export function Screen({ screen }: { screen: ScreenName }) {
  const page = pages[screen];
  return page ? <page.Page /> : <TitlePage title={screenTitles[screen]} />;
}
