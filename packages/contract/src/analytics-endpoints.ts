/**
 * Counting how the pages are used: totals of a closed set of events, tied to no user. Part of the table in
 * `endpoints.ts`.
 */
import * as z from "zod";
import type { EndpointShapes } from "./endpoint.ts";
import { pageEvents } from "./page-events.ts";

export const analyticsEndpoints = {
  countEvent: {
    summary: "Count one event of the pages; only totals are kept, never who or where",
    body: z.strictObject({ event: z.enum(pageEvents) }),
    status: 200,
    answer: z.object({}),
  },
} as const satisfies Record<string, EndpointShapes>;
