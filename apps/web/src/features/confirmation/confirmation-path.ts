/** Reads the path of the links in a mailbox's confirmation message. Pure. */
const LINK = /^\/confirm\/([a-z2-7]{32})(\/not-mine)?$/;

export interface ConfirmationPath {
  token: string;
  /** Whether the path is that of the "not mine" link; the page then shows the "not mine" button first. */
  isNotMine: boolean;
}

/** @param path normalized, e.g. `/confirm/<token>/not-mine` @returns `null` if it is not that of a confirmation link */
export function readConfirmationPath(path: string): ConfirmationPath | null {
  const [, token, notMine] = LINK.exec(path) ?? [];
  return token === undefined ? null : { token, isNotMine: notMine !== undefined };
}
