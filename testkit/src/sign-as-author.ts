/** Signs a test message like its author's mail host, with a choice of what the signature covers and how long it holds. */
import { createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import { relaxedField, simpleBodyHash } from "@kauke/mail-rfc";

export interface AuthorSigner {
  /** Name and value of the TXT record with the public key. */
  record: { name: string; txt: string[] };
  /**
   * @param message header and body with CRLF line ends; its fields must not be folded
   * @param options names in `h=`, and further tags of the signature, e.g. `t=1; x=2`
   * @returns the message with a DKIM-Signature (rsa-sha256, relaxed/simple) on top
   */
  sign(message: string, options?: { names?: readonly string[]; tags?: string }): string;
}

const usualNames = ["from", "to", "cc", "subject", "date", "message-id"];

export function authorSigner(domain: string, selector = "s1"): AuthorSigner {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const publicKey = createPublicKey(privateKey).export({ type: "spki", format: "der" }).toString("base64");
  return {
    record: { name: `${selector}._domainkey.${domain}`, txt: [`v=DKIM1; k=rsa; p=${publicKey}`] },
    sign: (message, { names = usualNames, tags = `t=${Math.floor(Date.now() / 1000)}` } = {}) => {
      const end = message.indexOf("\r\n\r\n");
      const fields = message.slice(0, end).split("\r\n");
      const bodyHash = simpleBodyHash(Buffer.from(message.slice(end + 4))).toString("base64");
      const left = fields.map((field) => ({ field, name: field.slice(0, field.indexOf(":")).toLowerCase() }));
      let text = "";
      for (const name of names) {
        const at = left.findLastIndex((it) => it.name === name);
        if (at >= 0) text += `${relaxedField(left.splice(at, 1)[0]?.field ?? "")}\r\n`;
      }
      const start = `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/simple; d=${domain}; s=${selector}; ${tags}`;
      const unsigned = `${start}; bh=${bodyHash}; h=${names.join(":")}; b=`;
      const value = sign("sha256", Buffer.from(text + relaxedField(unsigned)), privateKey).toString("base64");
      return `${unsigned}${value}\r\n${message}`;
    },
  };
}
