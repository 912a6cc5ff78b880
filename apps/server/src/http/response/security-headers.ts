export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "connect-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "manifest-src 'self'",
  "frame-src 'self'",
  "require-trusted-types-for 'script'",
  "trusted-types app-worker mail-frame",
].join("; ");

/** Denies all device features except passkeys and the clipboard, which copy buttons use. */
const permissionsPolicy =
  "accelerometer camera display-capture geolocation gyroscope hid idle-detection magnetometer microphone midi payment serial usb xr-spatial-tracking"
    .split(" ")
    .map((feature) => `${feature}=()`)
    .concat("clipboard-write=(self)", "publickey-credentials-create=(self)", "publickey-credentials-get=(self)")
    .join(", ");

const always = {
  "content-security-policy": contentSecurityPolicy,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": permissionsPolicy,
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
} as const;

/** @param isHttps adds HSTS, so that browsers never use plain http again */
export function securityHeaders(isHttps: boolean): Readonly<Record<string, string>> {
  return Object.freeze(isHttps ? { ...always, "strict-transport-security": "max-age=31536000" } : { ...always });
}
