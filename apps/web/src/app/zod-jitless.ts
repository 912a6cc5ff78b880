/**
 * Imported before anything that uses zod: its fast path builds functions from text, which our CSP refuses. Public pages don't
 * load zod at all, so this belongs to the pages with forms and not to main.tsx.
 */
import * as z from "zod";

z.config({ jitless: true });
