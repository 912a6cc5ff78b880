/** Endpoints for labels; part of the table in `endpoints.ts`. */
import * as z from "zod";
import type { EndpointShapes } from "./endpoint.ts";
import { changeLabelBody, createLabelBody, labelWire } from "./labels.ts";

const labelParams = z.object({ labelId: z.string() });

export const labelEndpoints = {
  listLabels: {
    summary: "Labels of the signed-in user, by name",
    status: 200,
    answer: z.object({ labels: z.array(labelWire) }),
  },
  createLabel: {
    summary: "Create a label",
    body: createLabelBody,
    status: 201,
    errors: [429],
    answer: z.object({ label: labelWire }),
  },
  changeLabel: {
    summary: "Change name or colour of a label",
    params: labelParams,
    body: changeLabelBody,
    status: 200,
    errors: [429],
    answer: z.object({ label: labelWire }),
  },
  deleteLabel: {
    summary: "Delete a label; its aliases stay",
    params: labelParams,
    status: 200,
    errors: [429],
    answer: z.object({ message: z.string() }),
  },
} as const satisfies Record<string, EndpointShapes>;
