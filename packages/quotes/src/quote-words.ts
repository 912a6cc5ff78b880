/** Words by which mail programs introduce a quote, in the languages that widely used programs support. Data only. */

/** Kind of information in a labelled line of a quoted header. */
export type LabelKind = "person" | "date" | "subject";

/** Verbs as in "Anna wrote:". Matched as whole words, in any letter case, in text in NFC. */
export const quoteVerbs: readonly string[] = [
  "wrote",
  "writes",
  "schrieb",
  "hat geschrieben",
  "a écrit",
  "escribió",
  "ha scritto",
  "escreveu",
  "schreef",
  "napisał\\(a\\)",
  "napisała",
  "napisał",
  "пишет",
  "писал",
  "писала",
  "написал",
  "написала",
  "пише",
  "писав",
  "skrev",
  "kirjoitti",
  "napsala",
  "napsal",
  "napísala",
  "napísal",
  "ezt írta",
  "írta",
  "a scris",
  "şunu yazdı",
  "yazdı",
  "rašė",
  "parašė",
  "kirjutas",
  "rakstīja",
  "έγραψε",
  "написа",
  "je napisao",
  "je napisala",
  "je napisal",
];

/** Verbs in scripts without spaces between words. */
export const unspacedQuoteVerbs: readonly string[] = ["写道", "寫道", "のメール", "님이 작성", "เขียนว่า"];

/** Labels of people in texts that calendar programs write. */
const calendarPeople =
  "who|guests|attendees|organizer|organiser|required|optional|required attendees|optional attendees|calendar|" +
  "invitees|teilnehmer|organisator|kalender|gäste|invités|organisateur|invitados|organizador";

const labels: Readonly<Record<LabelKind, string>> = {
  person:
    "from|to|cc|bcc|reply-to|sender|von|an|kopie|blindkopie|antwort an|de|à|a|pour|para|da|van|aan|od|do|dw|udw|från|till|" +
    "kopia|fra|til|kopi|lähettäjä|vastaanottaja|kopio|komu|kopie|от|кому|копия|від|копія|nuo|kam|kopija|kimden|kime|" +
    "gönderen|alıcı|feladó|címzett|másolatot kap|de la|către|catre|差出人|宛先|发件人|收件人|抄送|寄件者|收件者|副本|보낸 사람|받는 사람|" +
    `참조|${calendarPeople}`,
  date:
    "sent|date|on|gesendet|datum|gesendet am|envoyé|envoyé le|enviado|enviado el|enviada em|enviado em|fecha|inviato|data|" +
    "verzonden|wysłano|wysłane|skickat|sendt|dato|lähetetty|päivämäärä|odesláno|отправлено|дата|надіслано|išsiųsta|" +
    "gönderildi|tarih|elküldve|dátum|trimis|送信日時|日時|发送时间|日期|寄件日期|보낸 날짜|날짜|when|wann|quand|cuándo",
  subject:
    "subject|betreff|objet|sujet|asunto|oggetto|assunto|onderwerp|temat|ämne|emne|aihe|předmět|тема|tema|konu|tárgy|" +
    "subiect|件名|主题|主旨|제목|title|titel|what",
};

/** Kind of line by label; labels in lower case and NFC. */
export const labelKinds: ReadonlyMap<string, LabelKind> = new Map(
  (["subject", "date", "person"] as const).flatMap((kind) =>
    labels[kind].split("|").map((label) => [label, kind] as const),
  ),
);

export const calendarLabels: ReadonlySet<string> = new Set(calendarPeople.split("|"));
