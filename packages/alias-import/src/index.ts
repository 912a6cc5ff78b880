export { AliasImportError } from "./alias-import-error.ts";
export type { ForeignAliases } from "./foreign-alias.ts";
export { openService } from "./import-from-service.ts";
export { readImport } from "./read-import.ts";
