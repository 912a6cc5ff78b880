/** The order of the journeys' files. */
import { slowestFilesFirst } from "@kauke/testkit/slowest-first";

/** Seconds that the slowest files take; others take 10 to 30. */
const LONGEST_S: Readonly<Record<string, number>> = {
  "screens-signed-in": 60,
  "screens-signed-out": 35,
  "encryption-keys": 35,
  "first-mail": 35,
  "forward-a-message": 35,
  webkit: 35,
  "ways-in": 35,
  firefox: 30,
  decrypt: 30,
  aliases: 30,
};

export const SlowestFirst = slowestFilesFirst(LONGEST_S);
