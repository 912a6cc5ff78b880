/** The order of the journeys' files. */
import { slowestFirst } from "@kauke/testkit/slowest-first";

/** Seconds that the slowest files take; others take 10 to 30. */
const LONGEST_S: Readonly<Record<string, number>> = {
  "screens-signed-in": 95,
  "screens-signed-out": 55,
  "toast-walk": 45,
  decrypt: 40,
  landing: 40,
  "encryption-keys": 40,
  "first-mail": 40,
  webkit: 40,
  firefox: 40,
};

export const SlowestFirst = slowestFirst(LONGEST_S);
