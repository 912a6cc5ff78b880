/**
 * Answers as six mail programs write them, with the structure, encodings and quoting of each: Gmail, Apple Mail, iOS,
 * Outlook for Windows, Outlook on the web, Thunderbird. Contains only what a program writes by itself; addresses and
 * texts come from the test.
 */
export interface ReplyingPerson {
  name: string;
  address: string;
}

/** A received message to be answered, as the program stores it. */
export interface Quoted {
  from: ReplyingPerson;
  to: readonly ReplyingPerson[];
  cc?: readonly ReplyingPerson[];
  subject: string;
  /** Body text of the reply, one string per line. */
  text: readonly string[];
  /** Content of the body element; built from `text` if absent. */
  html?: string;
  messageId: string;
}

export interface Answer {
  from: ReplyingPerson;
  to: readonly ReplyingPerson[];
  cc?: readonly ReplyingPerson[];
  answered: Quoted;
  words: string;
  /** Lines of the signature below the answer. */
  signature?: readonly string[];
  /** Message-ID of the answer, without brackets. */
  messageId: string;
}

export interface ReplyProgram {
  name: string;
  write(answer: Answer): string;
}

const lines = (...all: readonly string[]) => all.map((line) => `${line}\r\n`).join("");
const isAscii = (text: string) => Buffer.byteLength(text) === text.length;
const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const htmlOf = ({ text, html }: Quoted) => html ?? text.map((line) => `<div>${escaped(line)}</div>`).join("");
const angle = ({ name, address }: ReplyingPerson) => `${name} <${address}>`;
const field = (people: readonly ReplyingPerson[]) =>
  people.map(({ name, address }) => (name === "" ? address : `"${name}" <${address}>`)).join(",\r\n ");
const quoteMarks = (all: readonly string[]) => all.map((line) => (line.startsWith(">") ? `>${line}` : `> ${line}`));

function head({ from, to, cc = [], answered, messageId }: Answer, more: readonly string[]): string {
  const subject = answered.subject.startsWith("Re: ") ? answered.subject : `Re: ${answered.subject}`;
  return lines(
    `From: ${field([from])}`,
    `To: ${field(to)}`,
    ...(cc.length > 0 ? [`Cc: ${field(cc)}`] : []),
    `Subject: ${subject}`,
    "Date: Mon, 23 Nov 2026 10:12:00 +0200",
    `Message-ID: <${messageId}>`,
    `In-Reply-To: <${answered.messageId}>`,
    `References: <${answered.messageId}>`,
    "MIME-Version: 1.0",
    ...more,
  );
}

const part = (type: string, encoding: string, content: string) =>
  lines(`Content-Type: ${type}`, `Content-Transfer-Encoding: ${encoding}`, "") + content;

const alternative = (boundary: string, ...parts: string[]) =>
  parts.map((content) => `--${boundary}\r\n${content}\r\n`).join("") + `--${boundary}--\r\n`;

const base64 = (text: string) => Buffer.from(text).toString("base64").replace(/.{76}/g, "$&\r\n");

/** Encodes text as quoted-printable (RFC 2045 §6.7) in lines of 76 columns. */
export function quotedPrintable(text: string, charset: "utf8" | "latin1" = "utf8"): string {
  return text
    .split("\r\n")
    .map((line) => {
      const octets = Buffer.from(line, charset).toString("latin1");
      const characters = octets.match(/[^]/g) ?? [];
      const rows = [""];
      characters.forEach((character, index) => {
        const isPlain = /[!-<>-~]/.test(character) || (/[ \t]/.test(character) && index < characters.length - 1);
        const written = isPlain ? character : `=${Buffer.from(character, "latin1").toString("hex").toUpperCase()}`;
        if ((rows.at(-1) ?? "").length + written.length > 75) rows.push("");
        rows[rows.length - 1] += written;
      });
      return rows.join("=\r\n");
    })
    .join("\r\n");
}

/** Wraps a line before the word that would exceed column 78, as Gmail does in plain text. */
function wrapped(text: string): string[] {
  const rows = [""];
  for (const word of text.split(" ")) {
    const row = rows.at(-1) ?? "";
    if (row !== "" && row.length + 1 + word.length > 78) rows.push(word);
    else rows[rows.length - 1] = row === "" ? word : `${row} ${word}`;
  }
  return rows;
}

const gmail: ReplyProgram = {
  name: "Gmail",
  write(answer) {
    const { answered, words, signature = [] } = answer;
    const { name, address } = answered.from;
    const boundary = "000000000000a1b2c3061f2e3d4c";
    const text = lines(
      words,
      ...(signature.length > 0 ? ["", "-- ", ...signature] : []),
      "",
      ...wrapped(`On Mon, Nov 23, 2026 at 9:58 AM ${name} <${address}> wrote:`),
      "",
      ...quoteMarks(answered.text),
      "",
    );
    const sign = signature.length > 0 ? `<br>-- <br><div class="gmail_signature">${signature.join("<br>")}</div>` : "";
    const html =
      `<div dir="ltr">${escaped(words)}${sign}</div><br><div class="gmail_quote gmail_quote_container">` +
      `<div dir="ltr" class="gmail_attr">On Mon, Nov 23, 2026 at 9:58\u202fAM ${escaped(name)} &lt;<a href="mailto:${address}">` +
      `${address}</a>&gt; wrote:<br></div><blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex;` +
      `border-left:1px solid rgb(204,204,204);padding-left:1ex">${htmlOf(answered)}</blockquote></div>\r\n`;
    const textPart = isAscii(text)
      ? lines('Content-Type: text/plain; charset="UTF-8"', "") + text
      : part('text/plain; charset="UTF-8"', "quoted-printable", quotedPrintable(text));
    return (
      head(answer, [`Content-Type: multipart/alternative; boundary="${boundary}"`, ""]) +
      alternative(boundary, textPart, part('text/html; charset="UTF-8"', "quoted-printable", quotedPrintable(html)))
    );
  },
};

const appleMail: ReplyProgram = {
  name: "Apple Mail",
  write(answer) {
    const { answered, words, signature = [] } = answer;
    const boundary = "Apple-Mail=_5A3F1D2C-7B6E-4C1A-9D8E-0F1A2B3C4D5E";
    const text = lines(
      words,
      "",
      ...signature,
      ...quoteMarks([`On 23 Nov 2026, at 09:58, ${angle(answered.from)} wrote:`, "", ...answered.text]),
      "",
    );
    const html =
      '<html><head><meta http-equiv="content-type" content="text/html; charset=us-ascii"></head><body style="overflow-wrap: ' +
      'break-word; -webkit-nbsp-mode: space; line-break: after-white-space;">' +
      `${escaped(words)}<br id="lineBreakAtBeginningOfMessage"><div>${signature.map((line) => `<div>${line}</div>`).join("")}` +
      `<div><br><blockquote type="cite"><div>On 23 Nov 2026, at 09:58, ${escaped(angle(answered.from))} wrote:</div>` +
      `<br class="Apple-interchange-newline"><div>${htmlOf(answered)}</div></blockquote></div><br></div></body></html>`;
    return (
      head(answer, [
        `Content-Type: multipart/alternative;\r\n\tboundary="${boundary}"`,
        "X-Mailer: Apple Mail (2.3826)",
        "",
      ]) +
      "\r\n" +
      alternative(
        boundary,
        part("text/plain;\r\n\tcharset=utf-8", "quoted-printable", quotedPrintable(text)),
        part("text/html;\r\n\tcharset=utf-8", "quoted-printable", quotedPrintable(html)),
      )
    );
  },
};

const ios: ReplyProgram = {
  name: "iOS Mail",
  write(answer) {
    const { answered, words, signature = ["Sent from my iPhone"] } = answer;
    const boundary = "Apple-Mail-8C0B1A2D-3E4F-4A5B-8C6D-7E8F9A0B1C2D";
    const text = lines(
      words,
      ...signature,
      "",
      ...quoteMarks([`On 23 Nov 2026, at 09:58, ${angle(answered.from)} wrote:`, "", ...answered.text]),
    ).replace("> \r\n> ", ">\r\n> \ufeff");
    const html =
      '<html><head><meta http-equiv="content-type" content="text/html; charset=utf-8"></head><body dir="auto">' +
      `${escaped(words)}<br id="lineBreakAtBeginningOfSignature"><div dir="ltr">${signature.join("<br>")}</div>` +
      `<div dir="ltr"><br><blockquote type="cite">On 23 Nov 2026, at 09:58, ${escaped(angle(answered.from))} wrote:<br><br>` +
      `</blockquote></div><blockquote type="cite"><div dir="ltr">\ufeff${htmlOf(answered)}</div></blockquote></body></html>`;
    return (
      head(answer, [
        `Content-Type: multipart/alternative;\r\n\tboundary=${boundary}`,
        "Content-Transfer-Encoding: 7bit",
        "X-Mailer: iPhone Mail (22A3354)",
        "",
      ]) +
      "\r\n" +
      alternative(
        boundary,
        part("text/plain;\r\n\tcharset=utf-8", "base64", `${base64(text)}\r\n`),
        part("text/html;\r\n\tcharset=utf-8", "base64", `${base64(html)}\r\n`),
      )
    );
  },
};

const outlookPerson = ({ name, address }: ReplyingPerson) => `${name} <${address}>`;
const outlookBlock = ({ from, to, cc = [], subject }: Quoted): readonly (readonly [string, string])[] => [
  ["From", outlookPerson(from)],
  ["Sent", "Monday, November 23, 2026 9:58 AM"],
  ["To", to.map(outlookPerson).join("; ")],
  ...(cc.length > 0 ? [["Cc", cc.map(outlookPerson).join("; ")] as const] : []),
  ["Subject", subject],
];

/**
 * Builds Outlook's plain text of a reply. @param divider line above the header of the quoted message @param ending
 * suffix of the line that names the sender
 */
function outlookText({ answered, words, signature = [] }: Answer, divider: string, ending = ""): string {
  const block = outlookBlock(answered).map(([label, value]) => `${label}: ${value}${label === "From" ? ending : ""}`);
  return lines(words, "", ...signature, divider, ...block, "", ...answered.text);
}

const outlook: ReplyProgram = {
  name: "Outlook",
  write(answer) {
    const { answered, words, signature = [] } = answer;
    const boundary = "----=_NextPart_000_0012_01DC5C8B.7A9E4C10";
    const block = outlookBlock(answered);
    const text = outlookText(answer, "", " ");
    const rows = block.map(([label, value]) => `<b>${label}:</b> ${escaped(value)}`);
    const html =
      '<html xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office"><head>' +
      '<meta http-equiv="Content-Type" content="text/html; charset=utf-8"><meta name=Generator content="Microsoft Word 15 ' +
      '(filtered medium)">\r\n<style><!--\r\n/* Font Definitions */\r\np.MsoNormal {margin:0cm;font-size:11.0pt;}\r\n--></style>' +
      '<!--[if gte mso 9]><xml>\r\n<o:shapedefaults v:ext="edit" spidmax="1026" />\r\n</xml><![endif]--></head>' +
      `<body lang=EN-US link="#0563C1"><div class=WordSection1><p class=MsoNormal>${escaped(words)}<o:p></o:p></p>` +
      signature.map((line) => `<p class=MsoNormal>${line}<o:p></o:p></p>`).join("\r\n") +
      "<p class=MsoNormal><o:p>&nbsp;</o:p></p><div><div style='border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm'>" +
      `<p class=MsoNormal>${rows.join(" <br>")}<o:p></o:p></p></div></div>\r\n` +
      `<p class=MsoNormal><o:p>&nbsp;</o:p></p>${htmlOf(answered)}</div></body></html>`;
    return (
      head(answer, [
        `Content-Type: multipart/alternative;\r\n\tboundary="${boundary}"`,
        "X-Mailer: Microsoft Outlook 16.0",
        "Thread-Index: AQHcXIt6jK1x2Q==",
        "Content-Language: en-us",
        "",
      ]) +
      "This is a multipart message in MIME format.\r\n\r\n" +
      alternative(
        boundary,
        part('text/plain;\r\n\tcharset="utf-8"', "base64", `${base64(text)}\r\n`),
        part('text/html;\r\n\tcharset="utf-8"', "quoted-printable", quotedPrintable(html)),
      )
    );
  },
};

const outlookWeb: ReplyProgram = {
  name: "Outlook web",
  write(answer) {
    const { answered, words, signature = [] } = answer;
    const boundary = "_000_AM9PR03MB7421A1B2C3D4E5F60718AM9PR03MB7421eurp_";
    const block = outlookBlock(answered);
    const text = outlookText(answer, "________________________________");
    const rows = block.map(([label, value]) => `<b>${label}:</b>&nbsp;${escaped(value)}<br>`);
    const html =
      '<html><head>\r\n<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-1">\r\n' +
      '<style type="text/css" style="display:none;"> P {margin-top:0;margin-bottom:0;} </style>\r\n</head>\r\n<body dir="ltr">\r\n' +
      `<div class="elementToProof" style="font-family: Aptos; font-size: 12pt;">\r\n${escaped(words)}</div>\r\n` +
      `<div id="Signature">${signature.map((line) => `<div>${line}</div>`).join("")}</div>\r\n` +
      '<div id="appendonsend"></div>\r\n<hr style="display:inline-block;width:98%" tabindex="-1">\r\n' +
      '<div id="divRplyFwdMsg" dir="ltr"><font face="Calibri, sans-serif" style="font-size:11pt" color="#000000">' +
      `${rows.join("\r\n")}</font>\r\n<div>&nbsp;</div>\r\n</div>\r\n${htmlOf(answered)}\r\n</body>\r\n</html>\r\n`;
    return (
      head(answer, [
        "Content-Language: en-US",
        "X-MS-Has-Attach: ",
        `Content-Type: multipart/alternative;\r\n\tboundary="${boundary}"`,
        "",
      ]) +
      alternative(
        boundary,
        part('text/plain; charset="iso-8859-1"', "quoted-printable", quotedPrintable(text, "latin1")),
        part('text/html; charset="iso-8859-1"', "quoted-printable", quotedPrintable(html, "latin1")),
      )
    );
  },
};

const thunderbird: ReplyProgram = {
  name: "Thunderbird",
  write(answer) {
    const { answered, words, signature = [] } = answer;
    const { name, address } = answered.from;
    const text = lines(
      `On 11/23/26 09:58, ${name === "" ? address : name} wrote:`,
      ...quoteMarks(answered.text),
      "",
      words,
      ...(signature.length > 0 ? ["-- ", ...signature] : []),
    );
    return head(answer, [
      "User-Agent: Mozilla Thunderbird",
      "Content-Language: en-US",
      "Content-Type: text/plain; charset=UTF-8; format=flowed",
      `Content-Transfer-Encoding: ${isAscii(text) ? "7bit" : "8bit"}`,
      "",
      text.slice(0, -2),
    ]);
  },
};

export const replyPrograms: readonly ReplyProgram[] = [gmail, appleMail, ios, outlook, outlookWeb, thunderbird];
