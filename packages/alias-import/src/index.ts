export type { ForeignAliases } from "./foreign-alias.ts";
export { AliasImportError } from "./foreign-alias.ts";
export { openService } from "./import-from-service.ts";
export { readImport } from "./read-import.ts";
