/** Makes the copy of a message for an alias' destinations: plain, or encrypted when the owner wants that. */

import { makeEncryptedCopy } from "./encrypted-copy.ts";
import { type CopyParts, type ForwardCopy, type ForwardSource, makePlainCopy } from "./forward-copy.ts";

export function makeForwardCopy(source: ForwardSource, parts: CopyParts): ForwardCopy {
  const { encryptTo, aliasId, replyKey } = source;
  if (encryptTo === null) return makePlainCopy(source, parts);
  if (aliasId === null || replyKey === null) throw new Error("only an alias' mail is encrypted");
  return makeEncryptedCopy({ ...source, encryptTo, aliasId, replyKey }, parts);
}
