export { searchMessage, searchQuickly, searchTypedText } from "./search-message.ts";
export { findSpans } from "./text-spans.ts";
