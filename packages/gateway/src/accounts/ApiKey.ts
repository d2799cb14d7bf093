/**
 * Creates API keys and their secrets, and computes the digests that the store keeps.
 */
import { hash, randomBytes } from "node:crypto"

import * as Redacted from "effect/Redacted"

/**
 * A key and its secret. Only the owner receives them.
 */
export interface ApiKeyPair {
  readonly key: Redacted.Redacted
  readonly secret: Redacted.Redacted
}

/**
 * The stored part of a pair. The key and the secret cannot be computed from it.
 *
 * Keys and secrets have 128 random bits, so a search through all of them is not feasible. A slow password hash would
 * only add its time to every request.
 */
export interface ApiKeyDigests {
  /** SHA-256 of the API key, as 64 lower-case hex digits. */
  readonly keyHash: string
  /** First four characters of the API key, so that its owner can tell which key this is. */
  readonly keyStart: string
  /** SHA-256 of the API key secret, as 64 lower-case hex digits. */
  readonly secretHash: string
}

/**
 * Returns a new API key and its secret: 128 random bits each, as 32 lower-case hex digits.
 *
 * ```ts import.meta.vitest
 * import { ApiKey } from "@plumbline/gateway"
 * import * as Redacted from "effect/Redacted"
 *
 * const { key, secret } = ApiKey.generate()
 * /^[0-9a-f]{32}$/.test(Redacted.value(key)) // => true
 * `${key} ${secret}` // => "<redacted> <redacted>"
 * ```
 */
export const generate = (): ApiKeyPair => ({
  key: Redacted.make(randomBytes(16).toString("hex")),
  secret: Redacted.make(randomBytes(16).toString("hex"))
})

/**
 * Returns the digests of a pair.
 *
 * ```ts import.meta.vitest
 * import { ApiKey } from "@plumbline/gateway"
 *
 * const digests = ApiKey.digests(ApiKey.generate())
 * digests.keyStart.length // => 4
 * digests.keyHash.length // => 64
 * ```
 */
export const digests = (pair: ApiKeyPair): ApiKeyDigests => {
  const key = Redacted.value(pair.key)
  return { keyHash: digest(key), keyStart: key.slice(0, 4), secretHash: digest(Redacted.value(pair.secret)) }
}

/**
 * Returns the SHA-256 of a key or a secret, as 64 lower-case hex digits: the form in which both are stored and looked
 * up.
 */
export const digest = (text: string): string => hash("sha256", text, "hex")
