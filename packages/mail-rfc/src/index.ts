/**
 * Mail standards as pure functions: addresses, headers, SRS, SPF, replies, schedules. No I/O; imports no other package of
 * this repository.
 */

export * from "./address/address.ts";
export * from "./address/address-header.ts";
export * from "./address/address-list.ts";
export * from "./address/format-address.ts";
export * from "./address/local-part.ts";
export * from "./address/reply-address.ts";
export * from "./address/reply-addresses.ts";
export * from "./address/shown-name.ts";
export * from "./address/split-address.ts";
export * from "./address/srs.ts";
export * from "./address/srs-stamp.ts";
export * from "./base32.ts";
export * from "./body/dot-stuffing.ts";
export * from "./body/rewrite-parts.ts";
export * from "./calendar/calendar-text.ts";
export * from "./calendar/find-calendars.ts";
export * from "./calendar/forward-calendars.ts";
export * from "./calendar/reply-calendars.ts";
export * from "./calendar/rewrite-calendars.ts";
export * from "./dkim/arc-seal.ts";
export * from "./dkim/dkim-body.ts";
export * from "./dkim/dkim-canonical.ts";
export * from "./dkim/dkim-sign.ts";
export * from "./dkim/dns-records.ts";
export * from "./esmtp-params.ts";
export * from "./header/authentication-results.ts";
export * from "./header/date.ts";
export * from "./header/encoded-word.ts";
export * from "./header/forward-fields.ts";
export * from "./header/header-field.ts";
export * from "./header/headers.ts";
export * from "./header/message-id.ts";
export * from "./header/message-id-map.ts";
export * from "./header/received.ts";
export * from "./header/rewrite-forward-header.ts";
export * from "./hmac-sha256.ts";
export * from "./leak/leak-finding.ts";
export * from "./leak/leak-scan.ts";
export * from "./leak/search-message.ts";
export * from "./mail-syntax-error.ts";
export * from "./message/compose-message.ts";
export * from "./message/reply-message.ts";
export * from "./message/wrap-message.ts";
export * from "./quote-lines/alias-in-quotes.ts";
export * from "./report/delivery-report.ts";
export * from "./report/dsn.ts";
export * from "./report/feedback-report.ts";
export * from "./report/status-code.ts";
export * from "./retry-schedule.ts";
export * from "./spf/check-host.ts";
export * from "./spf/spf-record.ts";
