/**
 * A self-signed certificate for TLS in tests: localhost, 127.0.0.1 and *.example.test. Its key is public, so it
 * protects nothing, and only tests that name it trust it.
 */
export const testKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgZSeTzpHOjzieD7ss
90SpJ96gCYzFYyZgUdTTG3sR0UGhRANCAASNK0Av3wuvCK5QQN7qFcm1o2nCJkzh
erxDkHLbyJZGYSwzVy1vQiPTlKwVaF4dsc4SRsDczcvdCpPnJtBFzXaD
-----END PRIVATE KEY-----
`;

export const testCertificate = `-----BEGIN CERTIFICATE-----
MIIBqjCCAVGgAwIBAgIUQoBm/dAxUlaMAKzFGXO4rgeZYBAwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTA5NDIwNFoYDzIxMjYxMDI4
MDk0MjA0WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASNK0Av3wuvCK5QQN7qFcm1o2nCJkzherxDkHLbyJZGYSwzVy1vQiPT
lKwVaF4dsc4SRsDczcvdCpPnJtBFzXaDo38wfTAdBgNVHQ4EFgQUQNxF3t3p5xbt
caF73iQr2+U1BRMwHwYDVR0jBBgwFoAUQNxF3t3p5xbtcaF73iQr2+U1BRMwDwYD
VR0TAQH/BAUwAwEB/zAqBgNVHREEIzAhgglsb2NhbGhvc3SCDiouZXhhbXBsZS50
ZXN0hwR/AAABMAoGCCqGSM49BAMCA0cAMEQCIFQyofrLvEI7zjRsfUG9WdpCXbRw
01WhsJa9x06Gmh9lAiAlPk+Eg1BLHpZMNie8SJI9x0xbV7PScp2zXPt/EkUMZg==
-----END CERTIFICATE-----
`;
