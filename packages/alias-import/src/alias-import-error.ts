/** Why a file or a service can't be read. The message is a sentence for the user that quotes no content of the file. */
export class AliasImportError extends Error {
  override name = "AliasImportError";
  readonly reason: "invalid" | "too_large" | "unavailable";
  /** What is wrong: the file, or an entry of the form for a service; `null` for nothing that the user entered. */
  readonly field: "file" | "baseUrl" | "apiKey" | null;

  constructor(reason: AliasImportError["reason"], field: AliasImportError["field"], message: string) {
    super(message);
    this.reason = reason;
    this.field = field;
  }
}

export const unreadable = (message: string): AliasImportError => new AliasImportError("invalid", "file", message);
