/** Names that a stranger would take for an official role, a company or a warning. Hyphens are for legibility only. */
const words = (text: string): string[] => text.trim().split(/\s+/);

export const reservedNames = {
  /** Role names of RFC 2142, and those that mail providers reserve. */
  roles: words(`
    abuse access account accounting accounts activate activation admin admins administration administrator adminteam
    anonymous api approval approvals audit auditor auth authenticate authentication authority autoresponder backup
    backups billing billings board bot bounce bounces careers ceo cfo cio ciso cto client clients compliance confirm
    confirmation contact contacts contactus controller copyright corporate credentials customer customercare customers
    customerservice daemon database default dev developer developers devops director dmarc dnsadmin document documents
    donotreply dpo email emailadmin employee employees employment enquiries enquiry facilities feedback
    finance-department ftp gdpr guest headoffice healthcheck help helpdesk helpcenter helpline hiring host hosting
    hostmaster hr human-resources imap info information infosec inquiries inquiry internal investor investors invoice
    invoices invoicing issue issues itadmin it-department it-support jobs kauke kaukeadmin kaukesupport kauketeam
    legal legalteam list listserv localhost login logins logout mail mailadmin mailbox mailer mailer-daemon mailman
    mailserver maintenance majordomo management manager managing-director marketing master media member members
    membership messages moderator moderators mx myaccount nameserver netadmin network news newsletter newsletters
    no-reply nobody noc noreplies not-reply notification notifications notify null office official officialsupport
    operations operator operators ops order orders owner partner partners passreset password passwordreset passwords
    pay payable payables payment payments payroll phishing pop3 portal post postbox postmaster postoffice press
    pressoffice privacy procurement public-relations purchase purchases purchasing receivable receivables receipt
    receipts reception receptionist recovery recruiter recruiting recruitment refund refunds register registrar
    registration replies reply report reports reset returns root routing sales salesteam sandbox secretary secure
    security securityteam server service services servicedesk shareholder signin signup site smtp soc spam sslabuse
    staff statement statements status subscribe subscription subscriptions superadmin superuser superviser supervisor
    support supports supportdesk supportteam sysadmin sysadmins sysop system systemadmin systemadministrator systems
    team techsupport technical technical-support terms test tester testing trust trust-and-safety
    undisclosed-recipients unsubscribe update updates user username users usenet uucp verification verify vendor
    vendors webadmin webmail webmaster website welcome whois www
  `),
  government: words(`
    ambassador army attorney-general border-control bundesregierung bundestag cabinet census chancellor cia
    citizenship city-council congress constitutional-court consul consulate council county-court court courts customs
    customs-office defence defense department-of-justice dmv dhs driver-license election elections embassy enforcement
    epa europa european-commission european-parliament europol eurojust fbi fda federal federal-reserve fema finanzamt
    fire-department ftc gov government gov-uk gouvernement governor hacienda healthcare-gov hmrc homeland-security
    house-of-representatives ice-gov immigration inland-revenue internal-revenue-service interpol irs judge judiciary
    justice labor-department law-enforcement magistrate mayor medicaid medicare military minister ministry municipal
    municipality nasa nato navy nhs nsa ofcom parliament passport-office passport passports pentagon police president
    presidency prime-minister prosecutor public-health revenue sec-gov secret-service senate senator sheriff
    social-security ssa state-department supreme-court tax tax-office taxes tax-refund treasury tribunal unicef
    united-nations uscis usda visa-office voting white-house world-bank world-health-organization
  `),
  finance: words(`
    abnamro ally-bank amex american-express anz bank bankalert bankaccount banking bankofamerica bankofengland banks
    bankteller barclaycard barclays bbva berkshire bnpparibas bofa capital-one cashapp charles-schwab chase citi
    citibank citigroup clearing commerzbank commonwealth-bank credit creditcard creditcards credit-agricole
    credit-suisse credit-union danskebank debit debitcard debt-collection deutschebank discover-card ecb equifax
    etrade euroclear experian fidelity finance finances financial fintech firstdirect goldman-sachs halifax-bank hsbc
    ing-bank insurance intuit invest investment investments jpmorgan jpmorganchase klarna klarna-pay lending
    lloyds lloydsbank loan loans maestro mastercard mastercards metlife monzo moneygram morgan-stanley mortgage
    mortgages n26 nationwide natwest nordea norton-finance paypal paypall paypal-support payoneer paysafe paysera
    pnc-bank quickbooks rabobank raiffeisen revolut robinhood royal-bank santander schwab sepa societe-generale
    sparkasse standard-chartered stripe stripe-support suntrust swift-transfer tdbank tradingview transaction
    transactions transfer transferwise truist unicredit usbank vanguard venmo visa visacard wellsfargo western-union
    wire-transfer wise-transfer worldpay zelle
  `),
  crypto: words(`
    airdrop airdrops altcoin avalanche-network binance binance-us bitcoin bitcoins bitfinex bitmart bitpay bitstamp
    blockchain blockchain-wallet blockfi btc bybit cardano chainlink coinbase coinbase-support coingecko coinmarketcap
    crypto cryptocom cryptocurrency cryptowallet cryptosupport dao-treasury defi dogecoin ethereum etherscan
    exodus-wallet gemini-exchange hardware-wallet huobi ico-sale kraken-exchange kraken kucoin ledger-live ledger
    litecoin metamask metamask-support moonpay nft nfts okx opensea pancakeswap phantom-wallet poloniex private-key
    recovery-phrase ripple-xrp safe-wallet seedphrase solana solana-wallet solflare stablecoin staking-rewards tether
    token-sale tokens trezor trustwallet uniswap usdc usdt wallet walletconnect wallets walletsupport web3 xrp
  `),
  shipping: words(`
    amazonlogistics aramex australia-post auspost bpost canada-post cargo correos courier couriers customs-clearance
    deliveries delivery delivery-service deutschepost dhl dhlexpress dispatch dpd dpd-group evri fedex fedex-delivery
    fedexexpress freight gls-group hermes-parcel inpost japan-post laposte logistics maersk myhermes ontrac package
    packages parcel parcelforce parcels poczta-polska poste-italiane posten postnl postnord purolator royal-mail
    shipment shipments shipping shipping-support shippo singpost swiss-post tnt-express track-and-trace tracking
    tracking-number ups upsdelivery usps usps-tracking venipak
  `),
  telecom: words(`
    airtel america-movil att-support att-wireless bell-canada bouygues-telecom british-telecom bt-group centurylink
    charter charter-spectrum china-mobile china-telecom comcast cox-communications deutsche-telekom ee-mobile
    elisa-telecom etisalat frontier-communications lebara lumen megafon mobile-operator mtn-group ntt-docomo o2-online
    orange-telecom proximus reliance-jio rogers-wireless singtel sky-broadband softbank spectrum sprint starlink
    swisscom talktalk telco telecom telecom-italia telefonica telekom telenor telia telia-support telstra telus
    three-mobile t-mobile turkcell us-cellular verizon verizon-wireless virgin-media virgin-mobile vodafone voicemail
    xfinity
  `),
  bigTech: words(`
    adobe adobesign airbnb-support alibaba alphabet amazon-aws amazon-prime amazonpay android anthropic appstore apple
    apple-id applecare applepay applesupport aws azure baidu bing bytedance chatgpt chrome cisco cloudflare dell
    discord docusign dropbox duckduckgo epic-games evernote facebook facebook-support firefox github gitlab gmail gmx
    google google-drive googlemail google-pay google-play google-support hotmail huawei hubspot ibm icloud instagram
    intel itunes lenovo linkedin mailchimp mcafee messenger meta-support microsoft microsoft365 microsoft-support
    microsoftteams mozilla netflix netflix-support nintendo norton norton-antivirus nvidia office365 onedrive openai
    oracle outlook paypal-security pinterest playstation proton protonmail quora reddit roblox salesforce samsung
    sap-support sharepoint shopify signal-support skype slack snapchat spotify sony sony-support steam steamcommunity
    steampowered steamsupport teams teamviewer telegram telegram-support tencent tesla threads tiktok tumblr tuta
    tutanota twitch twitter vimeo wechat whatsapp whatsapp-support wikipedia windows windows-defender windows-support
    wordpress xbox xbox-live yahoo yahoo-mail yandex youtube youtube-premium zendesk zoho zoom zoom-support
  `),
  retail: words(`
    aldi aliexpress allegro amazon amazon-support asda asos auchan bestbuy carrefour costco cvs cvs-pharmacy decathlon
    ebay ebay-support etsy flipkart giftcard giftcards h-and-m homedepot ikea instacart joom kohls kroger lidl loblaws
    louis-vuitton lowes macys marks-and-spencer mediamarkt mercadolibre nike nordstrom otto-versand poundland primark
    rakuten sainsburys safeway samsclub sephora shein shopee starbucks target-store temu tesco ticketmaster uniqlo
    voucher vouchers walgreens walmart walmart-support wayfair whole-foods wildberries woolworths zalando zara
  `),
  travel: words(`
    aegean-airlines aeroflot agoda airbaltic airbnb aircanada airfrance airline airlines airport amadeus-travel
    american-airlines amtrak blablacar boarding-pass booking booking-com bookings british-airways car-rental check-in
    cruise-line delta-airlines deutsche-bahn easyjet emirates enterprise-rent etihad eurostar eurowings expedia
    finnair flight-booking flights flixbus frontdesk hertz hilton hilton-honors hostelworld hotels hotelscom
    hotel-booking hyatt iberia itinerary jetblue kayak klm lastminute lot-airlines lufthansa lyft marriott
    norwegian-air opodo orbitz priceline qantas qatar-airways radisson railway reservation reservations ryanair
    singapore-airlines skyscanner southwest-airlines tickets travel-agency travelocity trip-advisor trivago
    turkish-airlines uber uber-eats united-airlines vrbo wizzair
  `),
  urgency: words(`
    account-alert account-locked account-suspended account-verification action-required alarm alert alerts attention
    billing-problem blocked-account breach claim-now claim-prize compromised critical critical-alert deadline disaster
    emergency expired expires expiring final-notice final-warning fraud fraud-alert fraud-department hacked immediate
    immediate-action important important-notice jackpot last-chance last-warning limited-time locked lottery must-read
    notice overdue past-due payment-failed payment-required prize prizes required response-required scam
    security-alert security-notice security-warning suspended suspicious-activity time-sensitive unauthorized
    unauthorised unlock unlock-account unusual-activity urgent urgently urgent-action validate validation
    verify-account verify-now verify-identity violation virus-alert warning warnings winner winners you-won
  `),
  lithuanian: words(`
    administracija administratorius aplinkosministerija apskaita artea atlyginimai atsiskaitymai barbora bankai bankas
    bilietai bite buhalterija buhalteris citadele darbas delfi direktore direktorius draudimas eltaks epaslaugos
    epolicija eso esveikata finansai generalinis-direktorius greitoji ignitis informacija investicijos ispejimas
    kariuomene klaida klientai klientu-aptarnavimas kreda kredito-unija kurjeris laimejimas laimejote lietuva
    lietuvos-bankas lietuvos-geleziniai lietuvos-pastas loterija lp-express ltg-link luminor maxima medicinos-bankas
    migracija ministerija ministras ministre mokejimai mokejimas mokesciai mokesciu-inspekcija muitine nepraleiskite
    norfa omniva pagalba pardavimai pasas-ir-viza pasto-dezute pastas paskola paskolos paslaugos pavedimas
    perlas-finance personalas perspejimas pigu policija premjeras premjere pretenzijos prezidentas prezidente
    prezidentura prokuratura prokuroras pvm registracija registru-centras regitra rimi rinkimai saskaita saskaitos
    saugumas savivaldybe seb seb-bankas seimas senukai siunta siuntos siuntu-pastas skola skolos skubiai skubu
    slaptazodis slaptazodziai sodra stt svarbu svarbus-pranesimas swedbank swedbankas siauliu-bankas teismas teismai
    teisingumo-ministerija tele2 topo-centras uzimtumo-tarnyba uzsakymai uzsakymas valstybe
    valstybine-mokesciu-inspekcija varle vartotojas vinted vmi vrm vyriausybe zemes-ukio-ministerija
  `),
} as const satisfies Record<string, readonly string[]>;

/** Words that resemble a reserved name but stay free. */
export const neverReserved: ReadonlySet<string> = new Set(["stearn", "parcell", "wallett", "targett", "ebbay"]);
