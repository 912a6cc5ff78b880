/** Words by which programs introduce a quote, by language. Data only. */

export type LabelKind = "person" | "date" | "subject";

/** Verbs as in "Anna wrote:", matched as whole words in any case, in NFC. */
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

export const unspacedQuoteVerbs: readonly string[] = ["写道", "寫道", "のメール", "님이 작성", "เขียนว่า"];

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

/** Kinds of labelled lines; labels in lower case and NFC. */
export const labelKinds: ReadonlyMap<string, LabelKind> = new Map(
  (["subject", "date", "person"] as const).flatMap((kind) =>
    labels[kind].split("|").map((label) => [label, kind] as const),
  ),
);

export const calendarLabels: ReadonlySet<string> = new Set(calendarPeople.split("|"));

/** Words after an answerer's name: Google Calendar, Thunderbird, SOGo and others. Lower-case patterns. */
export const answerSentences: readonly string[] = [
  // English
  "has (?:tentatively )?(?:accepted|declined) (?:this|your|the) (?:event |meeting |calendar )?invitation(?: to the event| with (?:this|a|the following) note)?",
  "has replied [\"'“]?maybe[\"'”]? to (?:this|your|the) (?:event )?invitation(?: with (?:this|a|the following) note)?",
  // German
  "hat (?:diese|ihre|deine|eure|die) (?:termin)?einladung (?:mit vorbehalt |vorläufig |unter vorbehalt )?(?:angenommen|abgelehnt|zugesagt)",
  // French
  "a (?:provisoirement )?(?:accepté|refusé|décliné) (?:cette |votre |l['’])invitation(?: à l['’]év[ée]n[eè]ment| à un évènement)?",
  // Spanish
  "ha (?:aceptado|rechazado)(?: provisionalmente)? (?:esta|su|tu|la) invitación(?: al evento)?",
  // Italian
  "ha (?:accettato|rifiutato) (?:questo |il tuo |il suo |il vostro |l['’])invito(?: all['’]evento)?",
  // Portuguese
  "(?:aceitou|aceitou provisoriamente|recusou) (?:este|o seu|seu|o) convite(?: para o evento)?",
  // Dutch
  "heeft (?:deze|uw|je|de) (?:uitnodiging|gebeurtenisuitnodiging) (?:voorlopig )?(?:geaccepteerd|afgewezen|geweigerd)",
  // Polish
  "(?:zaakceptował(?:a|\\(a\\))?|przyjął|przyjęła|odrzucił(?:a|\\(a\\))?) (?:to |twoje |państwa )?zaproszenie",
  // Swedish, Danish, Norwegian
  "har (?:accepterat|avböjt|tackat ja till|tackat nej till|accepteret|afvist|akseptert|godtatt|avslått) (?:denna|den här|din|er|denne|dette|deres) (?:inbjudan|inbjudning|invitation|invitasjonen)",
  // Russian
  "принял(?:а|\\(а\\))? (?:это |ваше )?приглашение",
  "отклонил(?:а|\\(а\\))? (?:это |ваше )?приглашение",
];

export const answerSubjects: ReadonlySet<string> = new Set(
  (
    "accepted|declined|tentative|tentatively accepted|maybe|invitation accepted|invitation declined|invitation reply|" +
    "new time proposed|angenommen|abgelehnt|zugesagt|zusage|absage|mit vorbehalt|vorläufig|vorbehaltlich zugesagt|" +
    "accepté|acceptée|refusé|refusée|décliné|provisoire|peut-être|aceptado|aceptada|rechazado|rechazada|provisional|" +
    "quizás|accettato|rifiutato|provvisorio|forse|aceito|aceite|recusado|provisório|talvez|geaccepteerd|geweigerd|" +
    "afgewezen|voorlopig|misschien|zaakceptowano|odrzucono|wstępnie|accepterat|avböjt|preliminärt|accepteret|afvist|" +
    "foreløbig|akseptert|avslått|принято|отклонено|под вопросом"
  ).split("|"),
);
