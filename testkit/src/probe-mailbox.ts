/**
 * The operator's own mailbox elsewhere, `me@home.example`, for tests of the proof of mail: the DNS of its host, the
 * mail that the host sends, and the header that it writes above our answer.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stuff } from "@kauke/mail-rfc";
import type { FakeDnsZone } from "./fakes/fake-dns.ts";
import { FakeMx } from "./fakes/fake-mx.ts";
import { authorSigner } from "./sign-as-author.ts";
import { secureTalk } from "./smtp-talk.ts";
import { mailHostCertificate, mailHostIssuer, mailHostKey } from "./test-certificate.ts";

/** Address from which the host sends. */
export const HOME_CLIENT = "127.0.0.1";
const HOME_MX = "127.0.0.2";

export const homeSigner = authorSigner("home.example");

export const homeZone: FakeDnsZone = {
  "home.example": { txt: [`v=spf1 ip4:${HOME_CLIENT} -all`], mx: [[10, "mx.home.example"]] },
  "mx.home.example": { a: [HOME_MX] },
  [homeSigner.record.name]: { txt: homeSigner.record.txt },
  "_dmarc.home.example": { txt: ["v=DMARC1; p=reject"] },
};

export const startHomeMx = () => FakeMx.start({ host: HOME_MX });

/**
 * Settings of a server that delivers to the mailbox, and has a certificate with the name of its mail host. A server
 * process trusts the certificate's issuer with `issuerFile` in NODE_EXTRA_CA_CERTS.
 */
export async function withHomeMailbox() {
  const folder = await mkdtemp(join(tmpdir(), "kauke-probe-"));
  const files = { KAUKE_TLS_CERT: join(folder, "cert.pem"), KAUKE_TLS_KEY: join(folder, "key.pem") };
  const issuerFile = join(folder, "issuer.pem");
  await writeFile(issuerFile, mailHostIssuer);
  await writeFile(files.KAUKE_TLS_CERT, mailHostCertificate);
  await writeFile(files.KAUKE_TLS_KEY, mailHostKey);
  const env = {
    ...files,
    KAUKE_DELIVERY: "direct",
    KAUKE_AUTHENTICATION: "on",
    KAUKE_WEBHOOK_ALLOW: "127.0.0.0/8",
    KAUKE_RETRY_SCHEDULE: "1s,1s",
    KAUKE_LIMITS: "off",
  };
  return { env, issuerFile, remove: () => rm(folder, { recursive: true }) };
}

export interface Letter {
  from?: string;
  fields?: readonly string[];
  body?: string;
  isSigned?: boolean;
}

let letters = 0;

/** Sends mail to the probe over STARTTLS, as the mailbox' host does. @returns the last reply */
export async function writeFromHome(
  mxPort: number,
  to: string,
  { from = "me@home.example", fields = [], body = "hi\r\n", isSigned = true }: Letter = {},
): Promise<string> {
  const header = [`From: Me <${from || "me@home.example"}>`, `To: ${to}`, `Message-ID: <${letters++}@home.example>`];
  const subject = fields.some((field) => field.startsWith("Subject:")) ? [] : ["Subject: a test"];
  const text = `${[...header, ...subject, ...fields].join("\r\n")}\r\n\r\n${body}`;
  const talk = await secureTalk(mxPort, { helo: "mx.home.example", localAddress: HOME_CLIENT });
  await talk.ask(`MAIL FROM:<${from}>`);
  let last = await talk.ask(`RCPT TO:<${to}>`);
  if (last.startsWith("2")) {
    await talk.ask("DATA");
    talk.send(stuff(Buffer.from(isSigned ? homeSigner.sign(text) : text)));
    last = await talk.ask(".");
  }
  talk.close();
  return last;
}

/** Our answer with what the mailbox' host writes on top of it. */
export const judgedAtHome = (
  answer: string,
  results = "dkim=pass header.d=kauke.test header.s=k1; spf=pass smtp.mailfrom=kauke.test; dmarc=pass header.from=kauke.test",
) =>
  `Received: from mail.kauke.test by mx.home.example\r\nAuthentication-Results: mx.home.example;\r\n\t${results.replaceAll("; ", ";\r\n\t")}\r\n${answer}`;

/** A reply with our answer attached. */
export const attaching = (attached: string, type = "message/rfc822"): Letter => ({
  fields: ["Subject: Fwd: Kauke got your message", "MIME-Version: 1.0", 'Content-Type: multipart/mixed; boundary="=b"'],
  body: `--=b\r\nContent-Type: text/plain\r\n\r\nhere\r\n--=b\r\nContent-Type: ${type}\r\n\r\n${attached}\r\n--=b--\r\n`,
});
