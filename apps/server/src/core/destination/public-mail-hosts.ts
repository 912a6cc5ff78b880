/**
 * Mail hosts where anybody can have a mailbox, so that a proof of the domain says nothing about the mailbox. The list
 * need not be complete: a domain where several accounts have confirmed mailboxes counts as shared too.
 */

/** Names of hosts that have a domain in many countries, e.g. yahoo.co.jp. */
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

/** @param domain in lower case, e.g. `gmail.com` */
export function isPublicMailHost(domain: string): boolean {
  return domains.has(domain) || anyCountry.test(domain);
}
