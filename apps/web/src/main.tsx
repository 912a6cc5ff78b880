/** A prerendered public page is hydrated once its chunk has loaded, other pages at once. */
import "./styles/index.css";
import { StrictMode } from "react";
import { createRoot, hydrateRoot } from "react-dom/client";
import { callAhead, takePreloaded } from "./api/client.ts";
import { checkSession, readSession } from "./api/session/session.ts";
import { App } from "./app/App.tsx";
import { loadScreen } from "./app/pages.tsx";
import { screenFor } from "./app/screens.ts";

/** Looks for the wallet of a user who signed in with one, once the session is known. */
async function reconnectAtStart(): Promise<void> {
  if (localStorage.getItem("walletAddress") === null) return;
  const { reconnectTrusted } = await import("./features/wallet/trusted-reconnect.ts");
  await reconnectTrusted();
}

/** Prefetches the page's data as soon as the user is known, not only once the chunk has loaded. */
function askAhead(path: string): void {
  const { user } = readSession();
  if (user === null) return;
  const screen = screenFor(path, true);
  if (screen === "dashboard" || screen === "compose") takePreloaded("listAliases", user.id);
  if (screen === "compose") takePreloaded("listAliasesWithSmtp", user.id);
  if (screen !== "dashboard") return;
  callAhead("listDomains");
  callAhead("listMailboxes");
  callAhead("getAccountDefaults");
  callAhead("listNotices");
}

async function start(root: HTMLElement): Promise<void> {
  const isDrawn = root.dataset.drawn === "page";
  const app = (
    <StrictMode>
      <App isDrawn={isDrawn} />
    </StrictMode>
  );
  if (!root.hasChildNodes()) return createRoot(root).render(app);
  if (isDrawn) await loadScreen(screenFor(location.pathname, false));
  hydrateRoot(root, app);
}

async function begin(): Promise<void> {
  await checkSession();
  askAhead(location.pathname);
  await reconnectAtStart();
}

void begin();
const root = document.getElementById("root");
if (root !== null) void start(root);
