/** A fixed key pair for tests, since creating one takes two scrypts. It protects nothing. */
export const testAgeKey = {
  masterPassword: "juodas ąžuolas",
  publicKey: "age1pdt7t8j69hqwyjc4kzwjknlx5dct40autmwftgrsnfm5jearwv4snj9avt",
  privateKey: "AGE-SECRET-KEY-1GANURVF72XAP5FL3T22CZL27YWPGSU6CQ0DVE9PJVYXS8UZ92AEQFZZPVZ",
  encryptedPrivateKey: [
    "-----BEGIN AGE ENCRYPTED FILE-----",
    "YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IHNjcnlwdCBaalV5c245N3RrWG51WW1K",
    "aFErVmZ3IDE4CmFvd1Zsek90a1VjTXphN2JrbjJ4VDZJWWY2RVUwY1Y2WmVJd1VT",
    "RDBOWVUKLS0tIFZLRWxjdnlYS2dXUFAzblNjNTBPWWt1ZWZoMWd3OWM5RGZuTkRl",
    "RVZLQncKvV6ukFt0x/JJxQj17yAT6KN0SCrczHzCpNwIb+lfBTW8314jap3wPhnp",
    "MZ8/2So6/7/AOhOUKg8KUfBGPrp955mX6ZBUkUcJPA8P55BJ7GIUO9Cpr7F5X2tr",
    "f4djZIeBfbbAELR0VzDoWkMtXd2/yL2A9QE/SjpElEx9Htji7jDnMIKmgQosvXgk",
    "Rfnkqy+5+T65Nw2x9+B6FAslbJsplzdo0L6yDuWBi01lI2kPyepiH/S3tOc3wdsz",
    "U29IpDB/arrB0ltvZTMVQI6IA4mIvoBBDdHtYwlYkzwA/Yx9SK1EHioyU6iVB0Fz",
    "/Mk=",
    "-----END AGE ENCRYPTED FILE-----",
    "",
  ].join("\n"),
};
