/**
 * A key pair; its private key is encrypted with `masterPassword` of encrypted-texts.ts at work factor 17. It protects
 * nothing.
 */
export const readyKey = {
  publicKey: "age106g4e3zpfjxtkk8jy44xx5t365s7w3fh6psh0v4kx25n8hykfydsj8m9zm",
  privateKey: "AGE-SECRET-KEY-1WEGFZV2CDJM6Q6PSD63Y4MD8H0GMC7NUYZP0VN6EASUQQGSYSCNS6H2EQX",
  encryptedPrivateKey: `-----BEGIN AGE ENCRYPTED FILE-----
YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IHNjcnlwdCBVbXUyU0dWWDdGK0Y5RXBv
SkhGczR3IDE3CjNpTno0S2p4R0RiSTJhRi9abkNtdGtFci92NUlTYnVYdXN5K1dr
NzJZZFUKLS0tIHI5ZTBsR0cxYkRYSUtUL1RMRGpMVDIxNFVOTTRqMDA4UjJNN3p3
ZlZjSm8KIQaOsLtz+3f5EkPGiD4qiCTn2Pm34EanVVi+8eELpvhBIpxryYWDlCwq
kaBJw8qCt6TtG5V5KCAlJxzLkYUHif8audmbK5gg0ER9ctY4tUFpyz36mhUXUCeu
2daLPievQobtgROC7esNWH4d8vZOZXDFZlHHRgUtcMTvdKOhK24vPpewQWR3m6gy
wKZGgMNYz/qVk0nlns8/uay3KRD3Cg8UKYbVgTSNgymG/vPZ7QgRD7OCxBlFanmC
zlWnvY84DW0EbBJw1bK4
-----END AGE ENCRYPTED FILE-----
`,
} as const;
