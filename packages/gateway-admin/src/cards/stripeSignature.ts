/**
 * Verifies the signature of an event: `Stripe-Signature: t=1700000000,v1=<hex>[,v1=<hex>]`. v1 is the HMAC-SHA256 of
 * the timestamp, a dot and the body's bytes, with the endpoint's secret. The header has several v1 signatures while a
 * secret is being replaced. Other schemes are ignored: v0 is for tests, and the strength of future schemes is unknown.
 *
 * Source: docs.stripe.com/webhooks, "Verify webhook signatures manually".
 */
import { Buffer } from "node:buffer"
import { createHmac, timingSafeEqual } from "node:crypto"

/**
 * Maximum difference between the time of a signature and the clock, in seconds. The provider's libraries use 300 too.
 */
export const TOLERANCE = 300

/** Maximum number of signatures that are checked. A provider sends fewer, even while a secret is being replaced. */
const MAX_SIGNATURES = 16

/**
 * True if an event was signed with the secret, and the time of the signature differs from `now` by at most `TOLERANCE`
 * seconds.
 */
export const isSigned = (options: {
  readonly payload: Uint8Array
  readonly header: string
  readonly secret: string
  /** The current time, in milliseconds since 1970 UTC. */
  readonly now: number
}): boolean => {
  const parsed = parse(options.header)
  if (parsed === undefined) return false
  const expected = createHmac("sha256", options.secret).update(`${parsed.timestamp}.`).update(options.payload).digest()
  // All signatures are compared, so that the time does not reveal which one matches.
  const right = parsed.signatures.filter((signature) => timingSafeEqual(signature, expected)).length
  return right > 0 && Math.abs(Math.floor(options.now / 1000) - Number(parsed.timestamp)) <= TOLERANCE
}

interface Parsed {
  /** The decimal timestamp in the header, which is part of the signed text. */
  readonly timestamp: string
  readonly signatures: ReadonlyArray<Uint8Array>
}

const parse = (header: string): Parsed | undefined => {
  const timestamps: Array<string> = []
  const signatures: Array<Uint8Array> = []
  for (const item of header.split(",")) {
    const [name, value = ""] = item.trim().split("=", 2)
    if (name === "t") timestamps.push(value)
    else if (name === "v1" && /^[0-9a-f]{64}$/u.test(value)) signatures.push(Buffer.from(value, "hex"))
  }
  const [timestamp, ...others] = timestamps
  if (timestamp === undefined || others.length > 0 || !/^[0-9]{1,12}$/u.test(timestamp)) return undefined
  return signatures.length === 0 || signatures.length > MAX_SIGNATURES ? undefined : { timestamp, signatures }
}
