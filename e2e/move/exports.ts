/** Files of other programs, as people upload them when they move to Kauke. */

/** Secrets in the Bitwarden export of the tests: no request may contain any of them. */
export const exportSecrets = ["correct-horse-staple", "JBSWY3DPEHPK3PXP", "my-private-note-77", "old-password-1234"];

interface Entry {
  name: string;
  user: string;
  uri?: string;
}

/** An unencrypted JSON export of Bitwarden, with secrets in every field that can hold one. */
export function bitwardenExport(entries: readonly Entry[]): string {
  const [password, totp, note, old] = exportSecrets;
  const items = entries.map(({ name, user, uri }, index) => ({
    passwordHistory: [{ lastUsedDate: "2026-01-01T00:00:00.000Z", password: old }],
    id: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
    type: 1,
    reprompt: 0,
    name,
    notes: note,
    favorite: false,
    fields: [{ name: "answer", value: note, type: 1 }],
    login: { uris: uri === undefined ? [] : [{ match: null, uri }], username: user, password, totp },
    collectionIds: null,
  }));
  return JSON.stringify({ encrypted: false, folders: [], items }, null, 2);
}

export const aFile = (name: string, text: string) => ({
  name,
  mimeType: "application/octet-stream",
  buffer: Buffer.from(text),
});

/**
 * A file aliases.csv of SimpleLogin: one alias on a domain of this server, two on SimpleLogin's domains, one with a
 * reserved name, one that is no address.
 * @param part text in the addresses that makes them different from those of other imports
 */
export const simpleLoginExport = (part: string): string =>
  [
    "alias,note,enabled,mailboxes",
    `garden.${part}@kauke.test,Garden,True,ann@inbox.example`,
    `forum.${part}@simplelogin.com,"Used at forum.example, since May",True,ann@inbox.example`,
    `shop.${part}@aleeas.com,,False,ann@inbox.example`,
    "admin@kauke.test,,True,ann@inbox.example",
    "bad name@kauke.test,,True,ann@inbox.example",
  ].join("\r\n");
