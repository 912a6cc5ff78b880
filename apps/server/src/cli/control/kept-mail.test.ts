import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore, type Store } from "../../store/open-store.ts";
import { aMessage, anOpenDelivery } from "../../store/rows.testing.ts";
import { insertAlias, insertUser } from "../../store/stores.testing.ts";
import { forgetKept, listKept, readKept, shownText } from "./kept-mail.ts";

const raw = (text: string) => Buffer.from(text.replaceAll("\n", "\r\n"));

describe("a stranger's message shown on a terminal", () => {
  it("shows author, subject and text", async () => {
    const source = raw("From: Ann <ann@example.org>\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\n\nFirst line\nsecond\n");
    expect(await shownText(source)).toEqual({
      from: "Ann <ann@example.org>",
      subject: "Grüße",
      text: "First line\nsecond\n",
    });
  });

  it("can't move the cursor, set the window title or reverse the text direction", async () => {
    const tricks = "\u001b[2J\u001b]0;x\u0007\u009b1A\u202e\u2066\u0000\u2028";
    const subject = Buffer.from(`a${tricks}b`).toString("base64");
    const shown = await shownText(
      Buffer.concat([
        raw(`From: x@example.org\nSubject: =?utf-8?b?${subject}?=\nContent-Type: text/plain; charset=utf-8\n\n`),
        Buffer.from(`a${tricks}\tb\r\nc\rd`),
      ]),
    );
    // Without its control character, the rest of an escape sequence is plain text and may be shown.
    expect(shown.text.trimEnd()).toBe("a[2J]0;x1A\tb\ncd");
    expect(`${shown.subject}${shown.from}${shown.text}`).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}]/u);
  });

  it("is truncated when it is too long, and shows a subject on one line", async () => {
    const shown = await shownText(raw(`Subject: a\n b\n\n${"x".repeat(50_000)}\n`));
    expect(shown.text.length).toBeLessThan(20_050);
    expect(shown.text).toContain("[truncated]");
    expect(shown.subject).toBe("a b");
  });
});

describe("mail kept for the operator", () => {
  let store: Store;
  beforeAll(async () => {
    store = await openStore({ databaseUrl: null, dataDir: null, secretKey: null });
  });
  afterAll(() => store.close());

  it("is listed, read and deleted; other mail of the spool can't be read or deleted", async () => {
    const kept = aMessage();
    await store.bodies.put(kept.id, [raw("Subject: Abuse\n\n..stuffed\n")]);
    await store.deliveries.keepForOperator(kept, "abuse@kauke.test");
    const alias = await insertAlias(store, (await insertUser(store)).id);
    const other = aMessage();
    await store.bodies.put(other.id, [raw("Subject: Private\n\nnot for the operator\n")]);
    await store.deliveries.enqueue(other, [anOpenDelivery(other, alias)]);

    expect(await listKept(store)).toMatchObject([{ messageId: kept.id, to: "abuse@kauke.test" }]);
    expect(await readKept(store, kept.id)).toEqual({ from: "", subject: "Abuse", text: ".stuffed\n" });
    expect(await readKept(store, other.id)).toBeNull();

    for (const id of [other.id, "../../etc/passwd", ""]) expect(await forgetKept(store, id)).toBe(false);
    expect(await forgetKept(store, kept.id)).toBe(true);
    expect(await store.bodies.get(kept.id)).toBeNull();
    expect(await store.bodies.get(other.id)).not.toBeNull();
    expect(await listKept(store)).toEqual([]);
  });
});
