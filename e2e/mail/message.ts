/**
 * A message as people send them: text and HTML with the same words, an image in the HTML, a file, and lines that some
 * mail hosts mishandle.
 */

/** Every byte value, several times over, each time in another order. */
export const attachment = {
  filename: "sąskaita 2026.pdf",
  bytes: Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 7 + (index >> 8)) & 255)),
};

export const words = {
  /** Beginning of every message's subject. */
  subject: "Your parcel waits in locker",
  text: "The parcel waits until Friday. The code is 48-karvelis-51.",
};

/** PNG of one pixel, in base64. */
const image = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const folded = (base64: string): string => base64.replace(/.{76}/g, "$&\r\n");

/** HTML of a hostile sender. */
export const hostileHtml = [
  '<script>document.querySelector("h1").textContent = "changed by a script"</script>',
  '<img src="https://tracker.example/pixel.png" alt="Tracker">',
].join("");

/** The subject of the message with this number, e.g. `Your parcel waits in locker 7` */
export const subjectOf = (number: number): string => `${words.subject} ${number}`;

/** @param number makes messages differ, e.g. in their subjects @param html additional HTML */
export function multipartMessage(number: number, html = ""): Buffer {
  return Buffer.from(
    [
      "From: Parcel Shop <parcels@shop.example>",
      "To: <somebody@elsewhere.example>",
      `Subject: ${subjectOf(number)}`,
      "Date: Fri, 20 Nov 2026 10:00:00 +0200",
      `Message-ID: <parcel-${number}@shop.example>`,
      "X-Long: a header field that is folded",
      "\tover two lines and keeps its tab",
      "MIME-Version: 1.0",
      'Content-Type: multipart/mixed; boundary="outer=_1"',
      "",
      "This is a message in several parts.",
      "--outer=_1",
      'Content-Type: multipart/alternative; boundary="inner=_2"',
      "",
      "--inner=_2",
      'Content-Type: text/plain; charset="utf-8"',
      "Content-Transfer-Encoding: quoted-printable",
      "",
      "Labas, =C5=BDmogau!",
      words.text,
      ".",
      "..two dots and trailing blanks   ",
      "--inner=_2",
      'Content-Type: multipart/related; boundary="related=_3"',
      "",
      "--related=_3",
      'Content-Type: text/html; charset="utf-8"',
      "",
      `<html><body><h1>Parcel ${number}</h1><p>${words.text}</p>`,
      `<img src="cid:dot@shop.example" alt="A dot" width="20" height="20">${html}</body></html>`,
      "--related=_3",
      "Content-Type: image/png",
      "Content-Transfer-Encoding: base64",
      "Content-ID: <dot@shop.example>",
      "Content-Disposition: inline",
      "",
      folded(image),
      "--related=_3--",
      "--inner=_2--",
      "--outer=_1",
      "Content-Type: application/pdf",
      "Content-Transfer-Encoding: base64",
      `Content-Disposition: attachment; filename*=UTF-8''${encodeURIComponent(attachment.filename)}`,
      "",
      folded(attachment.bytes.toString("base64")),
      "--outer=_1--",
      "",
    ].join("\r\n"),
    "latin1",
  );
}
