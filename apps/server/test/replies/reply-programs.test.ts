/**
 * Which answers of an ordinary exchange pass: as six mail programs write them, to reply addresses taken from what
 * arrived, with "Alias in quoted lines" off and on. The two tables below are complete; a cell that changes is a change
 * of behaviour.
 */
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import {
  type Answer,
  type Quoted,
  type ReplyingPerson,
  type ReplyProgram,
  replyPrograms,
} from "@kauke/testkit/programs/reply-programs";
import { sendMail } from "@kauke/testkit/send-mail";
import PostalMime, { type Address, type Email } from "postal-mime";
import { beforeEach, expect, test } from "vitest";

const spf = { txt: ["v=spf1 ip4:127.0.0.1 -all"] };
const dns = createFakeDns({ "inbox.example": spf, "sender.example": spf });
const anna: ReplyingPerson = { name: "Anna Weiß", address: "anna.weiss@inbox.example" };
const ann: ReplyingPerson = { name: "Ann", address: "ann@sender.example" };
const words = "Grüße, see you then.";
const { mx, system, person: owner } = await setUpForwarding({ dns });
let count = 0;

beforeEach(() => mx.reset());

const messageId = (domain: string) => `${++count}.${process.pid}@${domain}`;

/** Sends a message. @returns the copy that arrived (`null` if the message was refused), and the last SMTP reply */
async function send(from: string, to: readonly string[], message: string, arrivals = 1) {
  const params = Buffer.byteLength(message) > message.length ? "BODY=8BITMIME" : undefined;
  mx.messages.length = 0;
  const { last } = await sendMail({ port: system.mxPort, from, to, message, ...(params && { params }) });
  if (!last.startsWith("250 ")) return { last, mail: null };
  await mx.waitForMessages(arrivals);
  const [first] = mx.messages;
  mx.messages.length = 0;
  return { last, mail: first ?? null };
}

const personOf = (address: Address | undefined): ReplyingPerson => ({
  name: address?.name ?? "",
  address: address?.address ?? "",
});

function quotedFrom(email: Email): Quoted {
  return {
    from: personOf(email.from),
    to: (email.to ?? []).map(personOf),
    cc: (email.cc ?? []).map(personOf),
    subject: email.subject ?? "",
    text: (email.text ?? "").trimEnd().split(/\r?\n/),
    ...(email.html === undefined ? {} : { html: email.html }),
    messageId: (email.messageId ?? "").replace(/[<>]/g, ""),
  };
}

/** Ann writes to a new alias, with Bo in copy. @returns the alias' address and the message as Anna received it */
async function received() {
  const { alias } = await owner.createAlias({ forwardTo: anna.address });
  const address = `${alias}@kauke.test`;
  const fields = [
    "From: Ann <ann@sender.example>",
    `To: ${address}`,
    "Cc: Bo <bo@other.example>",
    "Subject: plans",
    `Message-ID: <${messageId("sender.example")}>`,
  ];
  const { mail } = await send(ann.address, [address], `${fields.join("\r\n")}\r\n\r\nhello Anna\r\n\r\nAnn\r\n`);
  return { alias: address, quoted: quotedFrom(await PostalMime.parse(mail?.bytes as Buffer)) };
}

async function answer(program: ReplyProgram, written: Omit<Answer, "from" | "messageId" | "words">) {
  const message = program.write({ from: anna, words, messageId: messageId("inbox.example"), ...written });
  const people = [...written.to, ...(written.cc ?? [])].map(({ address }) => address);
  const { last, mail } = await send(anna.address, people, message, people.length);
  if (mail === null) return { cell: /\((part [^)]*)\)/.exec(last)?.[1] ?? last, email: null };
  const email = await PostalMime.parse(mail.bytes);
  expect(mail.bytes.toString()).not.toContain("anna.weiss");
  expect(`${email.text}\n${email.html ?? ""}`).not.toContain("anna.weiss");
  expect(email.text).toContain(words);
  return { cell: "passes", email };
}

type Scene = (program: ReplyProgram) => Promise<string>;

const scenes: Record<string, Scene> = {
  async "first reply"(program) {
    const { quoted } = await received();
    return (await answer(program, { to: [quoted.from], answered: quoted })).cell;
  },
  async "reply to all"(program) {
    const { quoted } = await received();
    return (await answer(program, { to: [quoted.from], cc: quoted.cc ?? [], answered: quoted })).cell;
  },
  async "second round"(program) {
    const { alias, quoted } = await received();
    const first = await answer(program, { to: [quoted.from], answered: quoted });
    if (first.email === null) return first.cell;
    const theirs = program.write({
      from: ann,
      to: [{ name: "", address: alias }],
      words: "And then?",
      messageId: messageId("sender.example"),
      answered: quotedFrom(first.email),
    });
    const { mail } = await send(ann.address, [alias], theirs);
    const again = quotedFrom(await PostalMime.parse(mail?.bytes as Buffer));
    return (await answer(program, { to: [again.from], answered: again })).cell;
  },
  /** Anna answers her own message, in the form in which her program keeps it among sent mail. */
  async "follow-up"(program) {
    const { alias, quoted } = await received();
    const first = { from: anna, to: [quoted.from], answered: quoted, words, messageId: messageId("inbox.example") };
    const sent = quotedFrom(await PostalMime.parse(program.write(first)));
    const { cell, email } = await answer(program, { to: [quoted.from], answered: sent });
    // Above quoted lines Thunderbird writes only the name of their author, not the address.
    if (email !== null && program.name !== "Thunderbird") {
      expect(email.text).toContain(`Anna Weiß <${alias}>`);
      expect(email.html).toMatch(
        new RegExp(`Anna Weiß (?:&lt;|<)(?:<a href="mailto:${alias}">)?${alias}(?:</a>)?(?:&gt;|>)`),
      );
    }
    return cell;
  },
  async signature(program) {
    const { quoted } = await received();
    const signature = ["Anna Weiß", anna.address];
    return (await answer(program, { to: [quoted.from], answered: quoted, signature })).cell;
  },
};

const withoutChoice = `
                      first reply           reply to all          second round          follow-up             signature
Gmail                 passes                passes                passes                part 1: text, line 3  part 1: text, line 5
Apple Mail            passes                passes                passes                part 1: text, line 3  part 1: text, line 4
iOS Mail              passes                passes                passes                part 1: text, line 4  part 1: text, line 3
Outlook               passes                passes                passes                part 1: text, line 4  part 1: text, line 4
Outlook web           passes                passes                passes                part 1: text, line 4  part 1: text, line 4
Thunderbird           passes                passes                passes                passes                part 1: text, line 9
`;
const withChoice = `
                      first reply           reply to all          second round          follow-up             signature
Gmail                 passes                passes                passes                passes                part 1: text, line 5
Apple Mail            passes                passes                passes                passes                part 1: text, line 4
iOS Mail              passes                passes                passes                passes                part 1: text, line 3
Outlook               passes                passes                passes                passes                part 1: text, line 4
Outlook web           passes                passes                passes                passes                part 1: text, line 4
Thunderbird           passes                passes                passes                passes                part 1: text, line 9
`;

async function table(): Promise<string> {
  const rows = [["", ...Object.keys(scenes)]];
  for (const program of replyPrograms) {
    const row = [program.name];
    for (const scene of Object.values(scenes)) row.push(await scene(program));
    rows.push(row);
  }
  return `\n${rows
    .map((row) =>
      row
        .map((cell) => cell.padEnd(22))
        .join("")
        .trimEnd(),
    )
    .join("\n")}\n`;
}

const choose = (aliasInQuotes: boolean) => owner.call("PATCH", "/api/account/settings", { aliasInQuotes });

test("with the setting off, a follow-up is refused with part and line wherever the program quotes the address", async () => {
  await choose(false);
  expect(await table()).toBe(withoutChoice);
}, 120_000);

test.each(replyPrograms)(
  "with the setting on, $name's follow-up of a follow-up names the alias in both quotes",
  async (program) => {
    await choose(true);
    const { alias, quoted } = await received();
    const asSent = async (answered: Quoted) =>
      quotedFrom(
        await PostalMime.parse(
          program.write({ from: anna, to: [quoted.from], answered, words, messageId: messageId("inbox.example") }),
        ),
      );
    const again = await asSent(await asSent(quoted));
    const { cell, email } = await answer(program, { to: [quoted.from], answered: again });
    expect(cell).toBe("passes");
    const names = (text: string | undefined) => (text ?? "").split(`<${alias}>`).length - 1;
    if (program.name !== "Thunderbird") expect(names(email?.text)).toBeGreaterThanOrEqual(2);
  },
);

test("with the setting on, 24 of 24 pass; a signature that contains the address is refused with part and line", async () => {
  await choose(true);
  expect(await table()).toBe(withChoice);
}, 120_000);
