/** Ignores letter case, Unicode form, a `+tag`, and dots at Gmail, because variants would bypass every limit. */
import { asciiDomainOf, splitAddress } from "@kauke/mail-rfc";

const gmail: ReadonlySet<string> = new Set(["gmail.com", "googlemail.com"]);

/** For comparison only, not sendable: `Ann+shop@Example.ORG` becomes `ann@example.org`. */
export function sameMailbox(address: string): string {
  const { local, domain } = split(address);
  const name = withoutTag(local).normalize("NFC").toLowerCase();
  // Gmail ignores dots, which gives thousands of spellings: https://support.google.com/mail/answer/7436150
  return gmail.has(domain) ? `${name.replaceAll(".", "")}@gmail.com` : `${name}@${domain}`;
}

/** Keeps the tag, since a host may lack `ann+shop`: `Ann+shop@A.Example` becomes `ann+shop@a.example`. */
export function exactMailbox(address: string): string {
  const { local, domain } = split(address);
  return `${local.normalize("NFC").toLowerCase()}@${domain}`;
}

/** Limit key: the plain spelling has its own limit, so accounts registered with tagged spellings can't use it up. */
export function spellingOfMailbox(address: string): string {
  const mailbox = sameMailbox(address);
  return exactMailbox(address) === mailbox ? mailbox : `other spellings of ${mailbox}`;
}

/** A different tag matches only at Gmail; elsewhere a stranger could have registered `ann+x` as a name. */
export function isMailboxOf(author: string, destination: string): boolean {
  if (sameMailbox(author) !== sameMailbox(destination)) return false;
  const tag = tagOf(author);
  return tag === "" || tag === tagOf(destination) || gmail.has(split(author).domain);
}

/** Removes the plus tag, which may contain a stranger's text, for header fields. */
export function untaggedMailbox(address: string): string {
  const { local, domain } = split(address);
  return `${withoutTag(local)}@${domain}`;
}

function split(address: string): { local: string; domain: string } {
  return { local: splitAddress(address).local, domain: asciiDomainOf(address) };
}

function tagOf(address: string): string {
  const { local } = split(address);
  return local.slice(withoutTag(local).length).normalize("NFC").toLowerCase();
}

function withoutTag(local: string): string {
  const plus = local.indexOf("+");
  return plus > 0 ? local.slice(0, plus) : local;
}

/** Mail hosts with a domain in many countries, e.g. yahoo.co.jp. */
const anyCountry = /^(?:yahoo|ymail|hotmail|outlook|live|gmx|yandex|zoho|mail|email|aol)\.[a-z]{2,4}(?:\.[a-z]{2})?$/;

const domains: ReadonlySet<string> = new Set([
  ..."gmail.com googlemail.com msn.com rocketmail.com icloud.com me.com mac.com".split(" "),
  ..."proton.me protonmail.com protonmail.ch pm.me tuta.com tutanota.com tutanota.de tutamail.com tuta.io".split(" "),
  ..."keemail.me fastmail.com fastmail.fm hey.com hushmail.com runbox.com startmail.com mailfence.com".split(" "),
  ..."disroot.org riseup.net mailbox.org posteo.de posteo.net zohomail.com zohomail.eu inbox.com lycos.com".split(" "),
  ..."web.de t-online.de freenet.de arcor.de vodafone.de o2online.de bluewin.ch hispeed.ch aon.at chello.at".split(" "),
  ..."orange.fr wanadoo.fr laposte.net free.fr sfr.fr neuf.fr bbox.fr skynet.be telenet.be proximus.be".split(" "),
  ..."ziggo.nl kpnmail.nl xs4all.nl planet.nl hetnet.nl home.nl libero.it virgilio.it tiscali.it alice.it".split(" "),
  ..."tin.it terra.es telefonica.net sapo.pt btinternet.com sky.com virginmedia.com ntlworld.com".split(" "),
  ..."talktalk.net blueyonder.co.uk comcast.net verizon.net att.net sbcglobal.net bellsouth.net cox.net".split(" "),
  ..."charter.net earthlink.net juno.com optonline.net frontier.com rogers.com shaw.ca sympatico.ca telus.net".split(
    " ",
  ),
  ..."bigpond.com optusnet.com.au xtra.co.nz uol.com.br bol.com.br terra.com.br ig.com.br".split(" "),
  ..."seznam.cz centrum.cz atlas.cz email.cz post.cz azet.sk wp.pl onet.pl o2.pl interia.pl op.pl tlen.pl".split(" "),
  ..."inbox.lt one.lt inbox.lv inbox.ru bk.ru list.ru internet.ru ya.ru rambler.ru ukr.net i.ua abv.bg".split(" "),
  ..."freemail.hu citromail.hu online.no telia.com telenor.dk jubii.dk elisanet.fi kolumbus.fi luukku.com".split(" "),
  ..."qq.com foxmail.com 163.com 126.com yeah.net sina.com sina.cn sohu.com 139.com 189.cn aliyun.com".split(" "),
  ..."naver.com daum.net hanmail.net nate.com kakao.com rediffmail.com".split(" "),
  ..."docomo.ne.jp ezweb.ne.jp au.com softbank.ne.jp i.softbank.jp rakuten.jp nifty.com biglobe.ne.jp".split(" "),
]);

/** Whether anybody can get a mailbox at the domain, so that it proves nothing; the list is incomplete. */
export function isPublicMailHost(domain: string): boolean {
  return domains.has(domain) || anyCountry.test(domain);
}
