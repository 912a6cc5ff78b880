/**
 * Starts the app and checks the session while the page is still loading. A prerendered public page is hydrated once its
 * chunk has loaded, the shell and the pages for signed-in users at once. A document without prerendered HTML, as in
 * development, is rendered from scratch.
 */
import "./styles/index.css";
import { StrictMode } from "react";
import { createRoot, hydrateRoot } from "react-dom/client";
import { callAhead } from "./api/client.ts";
import { checkSession, readSession } from "./api/session/session.ts";
import { App } from "./app/App.tsx";
import { loadScreen } from "./app/pages.tsx";
import { screenFor } from "./app/screens.ts";

/** Loads the reconnect code if the user signed in with a wallet in this browser. Call once the session is known. */
async function reconnectAtStart(): Promise<void> {
  if (localStorage.getItem("walletAddress") === null) return;
  const { reconnectTrusted } = await import("./features/wallet/trusted-reconnect.ts");
  await reconnectTrusted();
}

/**
 * Starts the first requests of a page as soon as the user is known, instead of after its chunk has loaded and rendered.
 */
function askAhead(path: string): void {
  const { user } = readSession();
  if (user === null || screenFor(path, true) !== "dashboard") return;
  callAhead("listAliases", { params: { userId: user.id } });
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
