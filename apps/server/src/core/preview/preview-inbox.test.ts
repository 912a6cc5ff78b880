import { previewList, previewMessage } from "@kauke/contract";
import { describe, expect, test } from "vitest";
import { MailTrace, PreviewInbox } from "./preview-inbox.ts";

const clock = { now: () => new Date("2026-01-02T03:04:05Z") };
const arrival = (raw: string) => ({
  envelopeFrom: "a@from.example",
  rcptTo: "b@to.example",
  raw: Buffer.from(raw.replaceAll("\n", "\r\n")),
});

const withImage = `From: Ann <ann@from.example>
Subject: picture
Content-Type: multipart/related; boundary=b

--b
Content-Type: text/html

<img src="cid:one@x"><img src="cid:script@x"><script>alert(1)</script>
--b
Content-Type: image/png
Content-ID: <one@x>
Content-Transfer-Encoding: base64

AAEC
--b
Content-Type: text/javascript
Content-ID: <script@x>

alert(1)
--b--
`;

async function withOne(raw: string) {
  const inbox = new PreviewInbox(clock);
  inbox.add(arrival(raw));
  const [summary] = await inbox.list();
  return { inbox, summary, id: summary?.id ?? "" };
}

describe("the preview inbox", () => {
  test("lists messages newest first, in the contract's form", async () => {
    const { inbox, id } = await withOne(withImage);
    inbox.add(arrival("Subject: second\n\nhi\n"));
    const messages = await inbox.list();
    expect(messages.map((it) => it.subject)).toEqual(["second", "picture"]);
    expect(previewList.parse({ messages }).messages).toEqual(messages);
    const message = await inbox.get(id);
    expect(previewMessage.parse(message)).toEqual(message);
    expect(message).toMatchObject({
      from: "Ann <ann@from.example>",
      hasHtml: true,
      attachments: 2,
      receivedAt: "2026-01-02T03:04:05.000Z",
    });
  });

  test("keeps the original bytes and returns attachments decoded", async () => {
    const { inbox, id } = await withOne(withImage);
    expect(inbox.raw(id)?.equals(arrival(withImage).raw)).toBe(true);
    expect(await inbox.file(id, 0)).toMatchObject({ contentType: "image/png", bytes: Buffer.from([0, 1, 2]) });
    expect(await inbox.file(id, 2)).toBeNull();
  });

  test("shows inline images inside the HTML, and only images", async () => {
    const { inbox, id } = await withOne(withImage);
    const html = await inbox.html(id);
    expect(html).toContain('src="data:image/png;base64,AAEC"');
    expect(html).toContain('src="cid:script@x"');
  });

  test("a message that cannot be parsed is still shown raw", async () => {
    const nested = Array.from(
      { length: 400 },
      (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\n\n--b${i}\n`,
    ).join("");
    const { inbox, id, summary } = await withOne(nested);
    expect(summary).toMatchObject({ from: "", subject: "", attachments: 0 });
    expect(await inbox.get(id)).toMatchObject({ headers: [], text: null, hasHtml: false, files: [] });
    expect(inbox.raw(id)?.length).toBeGreaterThan(1000);
  });

  test("the oldest messages are evicted, by number and by size", async () => {
    const few = new PreviewInbox(clock, { messages: 2, bytes: 1000 });
    for (const name of ["one", "two", "three"]) few.add(arrival(`Subject: ${name}\n\n`));
    expect((await few.list()).map((it) => it.subject)).toEqual(["three", "two"]);
    const small = new PreviewInbox(clock, { messages: 200, bytes: 100 });
    for (const name of ["one", "two"]) small.add(arrival(`Subject: ${name}\n\n${"x".repeat(50)}\n`));
    expect((await small.list()).map((it) => it.subject)).toEqual(["two"]);
    small.add(arrival("x".repeat(200)));
    expect(await small.list()).toEqual([]);
  });

  test("a copy shows its alias and what each stage did, a message of the server itself neither", async () => {
    const trace = new MailTrace();
    trace.add("m1", { stage: "resolve", verdict: "accept", detail: "shop@kauke.test" });
    const inbox = new PreviewInbox(clock, undefined, trace);
    inbox.add({ ...arrival("Subject: copy\n\n"), origin: { messageId: "m1", alias: "shop@kauke.test" } });
    inbox.add(arrival("Subject: own\n\n"));
    const [own, copy] = await inbox.list();
    expect([own?.alias, copy?.alias]).toEqual([null, "shop@kauke.test"]);
    // Read at the time of the request: the delivery is noted after the copy has arrived.
    trace.add("m1", { stage: "deliver", verdict: "taken", detail: "b@to.example" });
    const shown = previewMessage.parse(await inbox.get(copy?.id ?? ""));
    expect(shown.stages.map(({ stage }) => stage)).toEqual(["resolve", "deliver"]);
    expect((await inbox.get(own?.id ?? ""))?.stages).toEqual([]);
  });

  test("a message that was evicted or cleared is null", async () => {
    const { inbox, id } = await withOne(withImage);
    inbox.clear();
    expect(await inbox.list()).toEqual([]);
    expect([await inbox.get(id), await inbox.html(id), inbox.raw(id), await inbox.file(id, 0)]).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });
});
