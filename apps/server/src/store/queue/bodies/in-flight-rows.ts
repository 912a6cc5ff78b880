/** Serializes the rows of a message in flight, i.e. its message row and its delivery, as JSON. */
import type { InFlightMessage } from "../../../core/delivery/in-flight.ts";

type Rows = Omit<InFlightMessage, "wire">;

export const rowsOf = ({ message, delivery }: Rows): Buffer => Buffer.from(JSON.stringify({ message, delivery }));

/** @returns `null` if the bytes are not JSON: then another version of the program wrote them in another format */
export function parseRows(bytes: Buffer): Rows | null {
  try {
    return JSON.parse(bytes.toString("utf8"), reviveDate) as Rows;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

const dates = new Set(["createdAt", "notBefore", "receivedAt", "until"]);
const reviveDate = (key: string, value: unknown): unknown =>
  dates.has(key) && typeof value === "string" ? new Date(value) : value;
