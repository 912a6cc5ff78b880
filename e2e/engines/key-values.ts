/** Code points by which WebDriver names keys (WebDriver, section 15.4.2: private use). */
export const keys = {
  Shift: "\uE008",
  Control: "\uE009",
  Tab: "\uE004",
  Enter: "\uE007",
  Escape: "\uE00C",
  Space: " ",
  ArrowRight: "\uE014",
  ArrowDown: "\uE015",
  Delete: "\uE017",
  a: "a",
  j: "j",
  v: "v",
  z: "z",
} as const;
