/**
 * Signs events as Standard Webhooks specifies, so that receivers can use existing libraries.
 *
 * The secret is `whsec_` and the key in Base64. The signature is the HMAC-SHA-256 of the id, the time in seconds and
 * the body, joined by dots.
 *
 * Source: github.com/standard-webhooks/standard-webhooks, spec/standard-webhooks.md, "Signature scheme".
 */
import { Buffer } from "node:buffer"
import { createHmac, randomBytes } from "node:crypto"

import * as Redacted from "effect/Redacted"

/** The minimum and maximum length of a key in bytes, from the specification. */
const KEY = { least: 24, most: 64 }

/** Generates a secret of 32 random bytes. */
export const generate = (): Redacted.Redacted => Redacted.make(`whsec_${randomBytes(32).toString("base64")}`)

/** Returns the key of a secret; undefined if the text is not a valid secret. */
export const keyOf = (secret: string): Uint8Array | undefined => {
  const [, text] = /^whsec_([A-Za-z0-9+/]+={0,2})$/u.exec(secret) ?? []
  const key = text === undefined ? undefined : Buffer.from(text, "base64")
  return key !== undefined && key.length >= KEY.least && key.length <= KEY.most ? key : undefined
}

/** Returns the headers of a message. `seconds` is the time of this try. */
export const headersOf = (
  key: Uint8Array,
  { body, id, seconds }: { readonly body: string; readonly id: string; readonly seconds: number }
): Readonly<Record<string, string>> => {
  const signature = createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64")
  return { "webhook-id": id, "webhook-timestamp": String(seconds), "webhook-signature": `v1,${signature}` }
}
