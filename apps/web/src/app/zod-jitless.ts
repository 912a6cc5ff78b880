/**
 * Turns off zod's fast path, which compiles functions from text and which our CSP forbids. Must be imported before
 * anything that uses zod. Pages with forms import it, not main.tsx, because most public pages load no zod.
 */
import * as z from "zod";

z.config({ jitless: true });
