/**
 * Starts the app and checks the session while the page is still loading. A prerendered public page is hydrated once its
 * chunk has loaded, the shell and the pages for signed-in users at once. A document without prerendered HTML, as in
 * development, is rendered from scratch.
 */
import "./styles/index.css";
import { StrictMode } from "react";
import { createRoot, hydrateRoot } from "react-dom/client";
import { checkSession } from "./api/session/session.ts";
import { App } from "./app/App.tsx";
import { askAhead } from "./app/ask-ahead.ts";
import { loadScreen } from "./app/pages.tsx";
import { screenFor } from "./app/screens.ts";
import { reconnectAtStart } from "./features/wallet/reconnect-at-start.ts";

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
