export { searchMessage, searchQuickly, searchTypedText } from "./search-message.ts";
