/** What e2e/any-page/draft-store.ts puts into a page. */
import { routes } from "@kauke/contract/routes";
import { addRoutes } from "../api/client.ts";
import { markSignedOut } from "../api/session/lost-session.ts";
import { checkSession, leaveSession } from "../api/session/session.ts";
import * as drafts from "./drafts.ts";

addRoutes(routes);

export const store = { ...drafts, checkSession, leaveSession, markSignedOut };
