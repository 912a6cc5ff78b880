/**
 * The message that all forwarding benchmarks send: about 1.5 KB of header as written by a large provider (including
 * another domain's signature), then base64 text in lines of 76 characters. It is identical in every run.
 */
import { createHash } from "node:crypto";

const digest = (seed: string | number) => createHash("sha512").update(String(seed)).digest("base64");
const folded = (lines: number) => Array.from({ length: lines }, (_, n) => `        ${digest(n).slice(0, 64)}`);

const header = [
  "Received: from mail-yw1-f171.remote.test (mail-yw1-f171.remote.test [192.0.2.71])",
  "        by mx.remote.test with ESMTPS id 4a5d9f00-2b1c (version=TLS1_3 cipher=TLS_AES_256_GCM_SHA384)",
  "        for <alias@in.test>; Thu, 20 Nov 2025 10:00:00 +0000",
  "DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=remote.test; s=20230601; t=1763632800;",
  `        h=to:subject:message-id:date:from:mime-version:from:to:cc:subject:date; bh=${digest("bh").slice(0, 43)}=;`,
  `        b=${digest("b").slice(0, 64)}`,
  ...folded(4),
  "X-Provider-DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=1e100.test; s=20230601;",
  ...folded(5),
  `X-Gm-Message-State: ${digest("state")}`,
  "X-Received: by 2002:a05:690c:46c6:b0:6ea with SMTP id abc.12.1763632800; Thu, 20 Nov 2025 02:00:00 -0800 (PST)",
  "MIME-Version: 1.0",
  'From: "Jane Sender" <sender@remote.test>',
  "Date: Thu, 20 Nov 2025 11:00:00 +0100",
  "Message-ID: <CAJ7x+k3vW1n0000000000000000@mail.remote.test>",
  "Subject: =?UTF-8?Q?Quarterly_report_=E2=80=93_draft_for_review?=",
  "To: alias@in.test",
  "Cc: Colleague <colleague@remote.test>",
  "List-Unsubscribe: <https://remote.test/u/0123456789>",
  'Content-Type: text/plain; charset="UTF-8"',
  "Content-Transfer-Encoding: base64",
  "",
];
const bodyLine = "VGhlIHF1aWNrIGJyb3duIGZveCBqdW1wcyBvdmVyIHRoZSBsYXp5IGRvZyBhbmQgcnVucyBhd2F5";

/** @param sizeBytes size on the wire, with CRLF; met to within half a line @returns the message's lines */
export function messageLines(sizeBytes: number): string[] {
  const headerBytes = header.reduce((sum, line) => sum + line.length + 2, 0);
  const count = Math.max(1, Math.round((sizeBytes - headerBytes) / (bodyLine.length + 2)));
  return [...header, ...Array.from({ length: count }, () => bodyLine)];
}

/** Joins lines with CRLF after each. */
export function wireMessage(lines: readonly string[]): Buffer {
  return Buffer.from(lines.map((line) => `${line}\r\n`).join(""), "latin1");
}
