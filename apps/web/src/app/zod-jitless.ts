/**
 * Imported before anything that uses zod: its fast path compiles functions from text, which our CSP forbids. Public
 * pages don't load zod at all, so pages with forms import this, not main.tsx.
 */
import * as z from "zod";

z.config({ jitless: true });
