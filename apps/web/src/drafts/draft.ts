/** `alias`: the edited fields of one alias, by its id; `sent`: a letter until the server has sent it. */
export type DraftKind = "letter" | "sent" | "new-alias" | "alias" | "decrypt";

export interface Draft<T> {
  kind: DraftKind;
  /** Chosen by the page; one per letter, `""` where a kind has only one. */
  id: string;
  savedAt: number;
  value: T;
}
