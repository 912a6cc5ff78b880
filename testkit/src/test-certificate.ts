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

/** Of `mail.kauke.test`, by an issuer that nobody knows: enough for who looks at the name and the dates only. */
export const mailHostKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgSqVsAUc21w8xs7Sn
dgQZdl0eIVD1I3XxchopG038lUmhRANCAASrI1Pk5jeFt0LgmtGXwfyMDVCDsIy1
AnGRma/7Z8fYpvMcUKqeZPis6xeGwiaqGpQWTor0TuIMUS0TeZNqDkLn
-----END PRIVATE KEY-----
`;

export const mailHostCertificate = `-----BEGIN CERTIFICATE-----
MIIBgzCCASmgAwIBAgIBATAKBggqhkjOPQQDAjAaMRgwFgYDVQQDDA9Jc3N1ZXIg
b2YgdGVzdHMwIBcNMjQwMTAxMDAwMDAwWhgPMjEyNDAxMDEwMDAwMDBaMBoxGDAW
BgNVBAMMD21haWwua2F1a2UudGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IA
BKsjU+TmN4W3QuCa0ZfB/IwNUIOwjLUCcZGZr/tnx9im8xxQqp5k+KzrF4bCJqoa
lBZOivRO4gxRLRN5k2oOQuejXjBcMBoGA1UdEQQTMBGCD21haWwua2F1a2UudGVz
dDAdBgNVHQ4EFgQU87SDrz+rQ5PFZ6n3yN//BTFsIuIwHwYDVR0jBBgwFoAUWjh0
6sEsWMc74723Cao7kuAbUTowCgYIKoZIzj0EAwIDSAAwRQIgUSYgPzLzy9WEye4K
YG9EDvYwmhxnDYN/RBSPESvO74kCIQChoz5VoeR1enVaRYNbUFHcQrplZBubkVhX
vw31HBhbtw==
-----END CERTIFICATE-----
`;
