/** Recognises the JSON format that a list element belongs to, and converts the element to an import row. */
import type { ImportFormat } from "@kauke/contract";
import { type ForeignAlias, foreignAlias, isTrue, textOf } from "./foreign-alias.ts";
import type { JsonElement } from "./json-elements.ts";

type Value = Readonly<Record<string, unknown>>;

interface JsonShape {
  format: ImportFormat;
  isOf(element: JsonElement): boolean;
  read(value: Value, row: number): ForeignAlias;
}

const has = (value: Value, ...names: string[]) => names.every((name) => name in value);
const isObject = (value: unknown): value is Value => typeof value === "object" && value !== null;
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const shapes: readonly JsonShape[] = [
  {
    format: "kauke-json",
    isOf: ({ path, value }) => path === "tables.alias.rows" && has(value, "name", "domain"),
    read: kaukeAlias,
  },
  { format: "relay-json", isOf: ({ value }) => has(value, "full_address", "enabled"), read: relayAlias },
  {
    format: "addy-json",
    isOf: ({ value }) => has(value, "email", "local_part", "domain", "active"),
    read: addyAlias,
  },
  {
    format: "forward-email-json",
    isOf: ({ value }) => has(value, "name", "recipients") && Array.isArray(value.recipients),
    read: forwardEmailAlias,
  },
  {
    format: "simplelogin-json",
    isOf: ({ path, value }) => (path === "" || path === "aliases") && has(value, "email", "enabled"),
    read: simpleLoginAlias,
  },
];

/**
 * Finds the JSON format of a list element.
 * @returns `null` for an element of no known format
 */
export function shapeOf(element: JsonElement): JsonShape | null {
  return shapes.find((shape) => shape.isOf(element)) ?? null;
}

function kaukeAlias(value: Value, row: number): ForeignAlias {
  const isActive = isTrue(value.active);
  const destinations = listOf(isActive ? value.destinations : value.lastDestinations).filter(isObject);
  return foreignAlias(row, {
    address: `${textOf(value.name)}@${textOf(value.domain)}`,
    notes: value.notes,
    active: isActive,
    destinations: destinations.map((it) => it.address ?? it.url),
  });
}

export function relayAlias(value: Value, row: number): ForeignAlias {
  const [description, site] = [textOf(value.description), textOf(value.generated_for)];
  return foreignAlias(row, {
    address: value.full_address,
    notes: description === "" || site === "" ? description || site : `${description} (${site})`,
    active: isTrue(value.enabled),
  });
}

export function addyAlias(value: Value, row: number): ForeignAlias {
  return foreignAlias(row, {
    address: value.email,
    notes: value.description,
    active: isTrue(value.active),
    destinations: listOf(value.recipients)
      .filter(isObject)
      .map((it) => it.email),
    isDeleted: textOf(value.deleted_at) !== "",
  });
}

export function forwardEmailAlias(value: Value, row: number): ForeignAlias {
  const domain = isObject(value.domain) ? textOf(value.domain.name) : textOf(value.domain_name);
  const name = textOf(value.name);
  return foreignAlias(row, {
    address: domain === "" ? name : `${name}@${domain}`,
    notes: value.description,
    active: value.is_enabled === undefined ? true : isTrue(value.is_enabled),
    destinations: listOf(value.recipients),
    problem: patternProblem(name),
  });
}

/**
 * Reason why a Forward Email name matches more than one address and cannot be imported; `null` for an ordinary name.
 */
export function patternProblem(name: string): string | null {
  if (name === "*") return "A catch-all takes mail for every name; an alias here has one name.";
  return name.startsWith("/") ? "A pattern takes mail for many names; an alias here has one name." : null;
}

/**
 * Converts an alias of SimpleLogin's JSON export to an import row.
 * @param mailbox address of the alias' main mailbox, which another list of the export names
 */
export function simpleLoginAlias(value: Value, row: number, mailbox = ""): ForeignAlias {
  return foreignAlias(row, {
    address: value.email,
    notes: value.note,
    active: isTrue(value.enabled),
    destinations: [mailbox],
    isDeleted: textOf(value.delete_on) !== "",
  });
}
