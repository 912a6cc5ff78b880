/** Counting how the product is used: totals of a closed set of events, nobody's. Part of the route table in `endpoints.ts`. */
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
