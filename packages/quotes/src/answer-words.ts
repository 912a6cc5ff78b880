/**
 * Sentences that calendar programs write into an answer to an invitation after the name or address of whoever answers,
 * by language: of Google Calendar ("has accepted this invitation"), Thunderbird and SOGo ("has accepted your event
 * invitation"), and others of this form. Data only; parts of regular expressions without capital letters.
 */
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

/** Words before the colon in the subject of an answer to an invitation, lower case and NFC. */
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
