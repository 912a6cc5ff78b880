/** A draft's value as JSON and files: plain objects, dates, `Blob` and `File`. Files are stored apart. */

interface Packed {
  json: unknown;
  /** Each once, in the order in which the JSON names them. */
  files: Blob[];
}

type FileTag =
  | { $: "blob"; at: number; type: string }
  | { $: "file"; at: number; type: string; name: string; lastModified: number };

/** `object`: one that has a property `$` itself. */
type Tagged = FileTag | { $: "date"; ms: number } | { $: "object"; value: object };

export function packDraft(value: unknown): Packed {
  const files: Blob[] = [];
  const placeOf = (file: Blob) => {
    const found = files.indexOf(file);
    return found === -1 ? files.push(file) - 1 : found;
  };
  return { json: tagged(value, placeOf), files };
}

function tagged(value: unknown, placeOf: (file: Blob) => number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => tagged(item, placeOf));
  const tag = tagOf(value, placeOf);
  if (tag !== null) return tag;
  const copy = withFields(value, (field) => tagged(field, placeOf));
  return Object.hasOwn(copy, "$") ? ({ $: "object", value: copy } satisfies Tagged) : copy;
}

function tagOf(value: object, placeOf: (file: Blob) => number): Tagged | null {
  if (value instanceof Date) return { $: "date", ms: value.getTime() };
  if (!(value instanceof Blob)) return null;
  const at = placeOf(value);
  const { type } = value;
  if (!(value instanceof File)) return { $: "blob", at, type };
  return { $: "file", at, type, name: value.name, lastModified: value.lastModified };
}

/** @param contents of the files that `packDraft` found, in its order @throws if one is missing */
export function unpackDraft(json: unknown, contents: readonly Blob[]): { value: unknown; files: Blob[] } {
  const files: Blob[] = [];
  const fileOf = (tag: FileTag): Blob => {
    const content = contents[tag.at];
    if (content === undefined) throw new Error("A file of the draft is missing");
    files[tag.at] ??= named(content, tag);
    return files[tag.at] as Blob;
  };
  return { value: untagged(json, fileOf), files };
}

function named(content: Blob, tag: FileTag): Blob {
  if (tag.$ === "blob") return content.slice(0, content.size, tag.type);
  return new File([content], tag.name, { type: tag.type, lastModified: tag.lastModified });
}

function untagged(json: unknown, fileOf: (tag: FileTag) => Blob): unknown {
  if (typeof json !== "object" || json === null) return json;
  if (Array.isArray(json)) return json.map((item) => untagged(item, fileOf));
  const fields = (from: object) => withFields(from, (field) => untagged(field, fileOf));
  if (!Object.hasOwn(json, "$")) return fields(json);
  const tag = json as Tagged;
  if (tag.$ === "date") return new Date(tag.ms);
  return tag.$ === "object" ? fields(tag.value) : fileOf(tag);
}

const withFields = (from: object, change: (field: unknown) => unknown): object =>
  Object.fromEntries(Object.entries(from).map(([name, field]) => [name, change(field)]));
