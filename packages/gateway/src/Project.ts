/**
 * What the gateway knows about the holder of an API key: names, hashes and settings, never the key itself.
 *
 * @since 0.1.0
 */
import { hash } from "node:crypto"

import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

const Digest = Schema.String.check(
  Schema.isPattern(/^[0-9a-f]{64}$/u, { expected: "a SHA-256 digest as 64 lower-case hex digits" })
)

/**
 * A project: one API key and its secret, as digests.
 *
 * Keys and secrets have 128 random bits, so a plain SHA-256 cannot be searched; a slow password hash would only cost
 * every request its time.
 *
 * @since 0.1.0
 */
export const Project = Schema.Struct({
  /** Names the project for ever; not a secret. */
  id: Schema.NonEmptyString,
  /** What its owner calls it. */
  name: Schema.String,
  /** SHA-256 of the API key. */
  keyHash: Digest,
  /** First four characters of the API key, so that its owner can tell which key this is. */
  keyStart: Schema.String.check(Schema.isMaxLength(4)),
  /** SHA-256 of the API key secret. */
  secretHash: Digest,
  /** Whether JSON-RPC calls must carry the secret beside the key; IPFS commands always must. */
  secretRequired: Schema.Boolean,
  /** Whether its account has a billing card. What was stored before there were any has none. */
  card: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(false)))
})

/**
 * @since 0.1.0
 */
export type Project = typeof Project.Type

/**
 * The project that belongs to a key and a secret, ready to be stored: what it holds cannot be turned back.
 *
 * ```ts import.meta.vitest
 * import { ApiKeys, Project } from "@plumbline/gateway"
 *
 * const issued = ApiKeys.generate()
 * const project = Project.make({ id: "p1", name: "wallet", ...issued })
 * project.keyStart.length // => 4
 * project.secretRequired // => false
 * project.card // => false
 * ```
 *
 * @since 0.1.0
 */
export const make = (options: {
  readonly id: string
  readonly name: string
  readonly key: Redacted.Redacted
  readonly secret: Redacted.Redacted
  readonly secretRequired?: boolean | undefined
  readonly card?: boolean | undefined
}): Project => {
  const key = Redacted.value(options.key)
  return {
    id: options.id,
    name: options.name,
    keyHash: digest(key),
    keyStart: key.slice(0, 4),
    secretHash: digest(Redacted.value(options.secret)),
    secretRequired: options.secretRequired ?? false,
    card: options.card ?? false
  }
}

/**
 * SHA-256 of a key or a secret, as 64 lower-case hex digits: the form in which both are stored and looked up.
 *
 * @since 0.1.0
 */
export const digest = (text: string): string => hash("sha256", text, "hex")
