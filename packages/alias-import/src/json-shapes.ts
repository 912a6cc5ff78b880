import type { ImportFormat } from "@kauke/contract";
import { cellText, type ForeignAlias, foreignAlias, isTrue } from "./foreign-alias.ts";
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

export function shapeOf(element: JsonElement): JsonShape | null {
  return shapes.find((shape) => shape.isOf(element)) ?? null;
}

function kaukeAlias(value: Value, row: number): ForeignAlias {
  const isActive = isTrue(value.active);
  const destinations = listOf(isActive ? value.destinations : value.lastDestinations).filter(isObject);
  return foreignAlias(row, {
    address: `${cellText(value.name)}@${cellText(value.domain)}`,
    notes: value.notes,
    active: isActive,
    destinations: destinations.map(({ address, url }) => address ?? url),
  });
}

export function relayAlias(value: Value, row: number): ForeignAlias {
  const [description, site] = [cellText(value.description), cellText(value.generated_for)];
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
      .map(({ email }) => email),
    isDeleted: cellText(value.deleted_at) !== "",
  });
}

export function forwardEmailAlias(value: Value, row: number): ForeignAlias {
  const domain = isObject(value.domain) ? cellText(value.domain.name) : cellText(value.domain_name);
  const name = cellText(value.name);
  return foreignAlias(row, {
    address: domain === "" ? name : `${name}@${domain}`,
    notes: value.description,
    active: value.is_enabled === undefined ? true : isTrue(value.is_enabled),
    destinations: listOf(value.recipients),
    problem: patternProblem(name),
  });
}

/** Why a Forward Email name can't be an alias; `null` for an ordinary name. */
export function patternProblem(name: string): string | null {
  if (name === "*") return "A catch-all takes mail for every name; an alias here has one name.";
  return name.startsWith("/") ? "A pattern takes mail for many names; an alias here has one name." : null;
}

/** @param mailbox address from another list of the export */
export function simpleLoginAlias(value: Value, row: number, mailbox = ""): ForeignAlias {
  return foreignAlias(row, {
    address: value.email,
    notes: value.note,
    active: isTrue(value.enabled),
    destinations: [mailbox],
    isDeleted: cellText(value.delete_on) !== "",
  });
}
