/** Starts the app: asks who is signed in while the page is still being put together. */
import "./styles/index.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { sessionQuery } from "./api/session.ts";
import { App } from "./app/App.tsx";
import { makeQueryClient } from "./app/query-client.ts";
import { reconnectAtStart } from "./features/wallet/reconnect-at-start.ts";

const client = makeQueryClient();
void client.prefetchQuery(sessionQuery).then(reconnectAtStart);

const root = document.getElementById("root");
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <App />
      </QueryClientProvider>
    </StrictMode>,
  );
