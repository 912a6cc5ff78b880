/** Strangers write messages, so sizes are limited. */
import { type Address, type Attachment, type Email, default as PostalMime } from "postal-mime";
import { cleanFileName } from "../file-name.ts";
import { cleanMailHtml, type FrameContent } from "./clean-mail-html.ts";

interface MailFile {
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
}

export interface ParsedMail {
  subject: string;
  from: string;
  to: string;
  cc: string;
  /** Date as an ISO time; as written if it is invalid. */
  date: string;
  headers: { name: string; value: string }[];
  text: string | null;
  /** HTML, cleaned and nevertheless shown in a sandboxed frame only. */
  html: FrameContent | null;
  files: MailFile[];
  /** Something was too large to show; the saved message is complete. */
  isCut: boolean;
}

export const mailBounds = {
  textLength: 1024 * 1024,
  htmlLength: 1024 * 1024,
  headers: 300,
  headerLength: 4096,
  files: 100,
  imageBytes: 4 * 1024 * 1024,
  allImagesBytes: 12 * 1024 * 1024,
} as const;

/** Image types that are shown: no SVG, which is a document of its own. */
const pictureTypes = /^image\/(?:png|jpeg|gif|webp|avif|bmp)$/;

/** @throws any error of the parser if the content is no message */
export async function parseMail(bytes: ArrayBuffer): Promise<ParsedMail> {
  const email = await PostalMime.parse(bytes, {
    forceRfc822Attachments: true,
    maxNestingDepth: 64,
    maxHeadersSize: 512 * 1024,
  });
  return shownMail(email);
}

function shownMail(email: Email): ParsedMail {
  const { textLength, htmlLength, headers, headerLength, files } = mailBounds;
  const { text = null, html = null, attachments } = email;
  const isHtmlShown = html !== null && html.length <= htmlLength;
  const images = isHtmlShown ? picturesOf(html, attachments) : new Map<string, string>();
  const shown = isHtmlShown ? cleanMailHtml(html, images) : null;
  const unseen = attachments.filter(({ contentId }) => contentId === undefined || !images.has(idOf(contentId)));
  return {
    subject: email.subject ?? "",
    from: addressText(email.from === undefined ? [] : [email.from]),
    to: addressText(email.to),
    cc: addressText(email.cc),
    date: email.date ?? "",
    headers: email.headers
      .slice(0, headers)
      .map(({ originalKey, value }) => ({ name: originalKey, value: value.slice(0, headerLength) })),
    text: text === null ? null : text.slice(0, textLength).replace(/\s+$/, ""),
    html: shown,
    files: unseen.slice(0, files).map((file, index) => ({
      name: cleanFileName(file.filename ?? "", index + 1),
      bytes: bytesOf(file),
    })),
    isCut: (text?.length ?? 0) > textLength || (html !== null && (shown?.isCut ?? true)) || unseen.length > files,
  };
}

function addressText(addresses: readonly Address[] = []): string {
  return addresses.map(oneAddress).filter(Boolean).join(", ").slice(0, mailBounds.headerLength);
}

function oneAddress(entry: Address): string {
  if (entry.group !== undefined) return `${entry.name}: ${addressText(entry.group)};`;
  if (entry.name === "") return entry.address;
  return entry.address === "" ? entry.name : `${entry.name} <${entry.address}>`;
}

/** Images that the HTML uses and that fit the limits; all others are listed as files. */
function picturesOf(html: string, attachments: readonly Attachment[]): Map<string, string> {
  const images = new Map<string, string>();
  let bytesLeft: number = mailBounds.allImagesBytes;
  for (const attachment of attachments) {
    const id = idOf(attachment.contentId ?? "");
    if (id === "" || !pictureTypes.test(attachment.mimeType) || !html.includes(`cid:${id}`)) continue;
    const bytes = bytesOf(attachment);
    if (bytes.length > mailBounds.imageBytes || bytes.length > bytesLeft) continue;
    bytesLeft -= bytes.length;
    images.set(id, `data:${attachment.mimeType};base64,${base64Of(bytes)}`);
  }
  return images;
}

const idOf = (contentId: string): string => contentId.replace(/^<|>$/g, "");

function bytesOf({ content }: Attachment): Uint8Array<ArrayBuffer> {
  if (typeof content === "string") return new TextEncoder().encode(content);
  return content instanceof Uint8Array ? new Uint8Array(content) : new Uint8Array(content);
}

function base64Of(bytes: Uint8Array): string {
  const chunks: string[] = [];
  for (let at = 0; at < bytes.length; at += 32_768)
    chunks.push(String.fromCharCode(...bytes.subarray(at, at + 32_768)));
  return btoa(chunks.join(""));
}
