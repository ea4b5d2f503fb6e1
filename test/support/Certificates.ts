import { generateKeyPairSync } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"

/** A test key. It is public, so it must not protect anything. */
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgtID+Zium9vkQ9VMR
9ui9bqMAlWTI6nIWSr5q4ReFnQOhRANCAATCwsr/0/US5FUIf+i3kRBxVN+s5pvf
2bor+3Jv8hp+j4z5NUSS+297Lf0ZJWR9FLX0+x5HwIqMVrFKQI+zBjXs
-----END PRIVATE KEY-----
`

const valid = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUQLq2HgaT1UnpWa/KH1bbA6iCDZswCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTE4MDUxOVoYDzIxMjYxMDI4
MTgwNTE5WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATCwsr/0/US5FUIf+i3kRBxVN+s5pvf2bor+3Jv8hp+j4z5NUSS+297
Lf0ZJWR9FLX0+x5HwIqMVrFKQI+zBjXso28wbTAdBgNVHQ4EFgQUIMaIqzPLlKxL
OHZFlnnwfM5PRJwwHwYDVR0jBBgwFoAUIMaIqzPLlKxLOHZFlnnwfM5PRJwwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIgcqGDWAXNZ0DivSfkGGTle9s6bDpp/OgQaW1+UV2XFP8CIQDj
/83xF7KlESDSWrfJj/+kQAk3eBr+gUwP0xFNvNI5Hw==
-----END CERTIFICATE-----
`

/** A certificate for localhost with its key. */
export const certificateOfLocalhost = { cert: Buffer.from(valid), key: Buffer.from(key) }

const expired = `-----BEGIN CERTIFICATE-----
MIIBEDCBtgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwHhcN
MjAwMTAxMDAwMDAwWhcNMjAwMjAxMDAwMDAwWjAUMRIwEAYDVQQDDAlsb2NhbGhv
c3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATCwsr/0/US5FUIf+i3kRBxVN+s
5pvf2bor+3Jv8hp+j4z5NUSS+297Lf0ZJWR9FLX0+x5HwIqMVrFKQI+zBjXsMAoG
CCqGSM49BAMCA0kAMEYCIQDk3BwiDQo9bhEalmWc4ZnjdbTC1fq2Uwt87UamUgTW
pAIhAMsGTpAixG/zD0pUbj7SqQWmDOyZp1h6aDHOHRhAfhTo
-----END CERTIFICATE-----
`

const anotherKey = () =>
  generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "pkcs8", format: "pem" })

type Pair = readonly [certificate: string, key: string]

const pairs = {
  valid: (): Pair => [valid, key],
  expired: (): Pair => [expired, key],
  "of another key": (): Pair => [valid, anotherKey()],
  garbled: (): Pair => ["-----BEGIN CERTIFICATE-----", key]
}

/**
 * Writes a certificate and its key into a directory.
 *
 * @returns the environment variables that make a server use them.
 */
export const certificateIn = (directory: string, which: keyof typeof pairs) => {
  const [certificate, itsKey] = pairs[which]()
  const files = { TLS_CERT_FILE: join(directory, "cert.pem"), TLS_KEY_FILE: join(directory, "key.pem") }
  writeFileSync(files.TLS_CERT_FILE, certificate)
  writeFileSync(files.TLS_KEY_FILE, itsKey)
  return files
}
