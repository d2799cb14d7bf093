/**
 * Creates admin tokens, and the digests by which the service checks them.
 */
import { randomBytes } from "node:crypto"

import * as ApiKey from "@plumbline/gateway/accounts/ApiKey"
import { SettingError } from "@plumbline/gateway/errors/SettingError"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"

/**
 * An accepted admin token.
 */
export interface AdminToken {
  /** The holder's name in the audit log. It is not a secret. */
  readonly label: string
  /** SHA-256 of the token, as 64 lower-case hex digits. */
  readonly digest: string
}

/**
 * Returns a new token: 256 random bits, as 64 lower-case hex digits.
 */
export const generate = (): Redacted.Redacted => Redacted.make(randomBytes(32).toString("hex"))

/**
 * Returns the digest of a token, with its label. A token has 32 to 256 hex digits and must be random, such as the
 * output of `openssl rand -hex 32`, because it is hashed with a fast hash. A label has 1 to 64 printable characters.
 *
 * ```ts import.meta.vitest
 * import { AdminToken } from "@plumbline/gateway-admin"
 * import { Redacted, Result } from "effect"
 *
 * const token = Result.getOrThrow(AdminToken.make("ops", AdminToken.generate()))
 * token.digest.length // => 64
 * const short = AdminToken.make("ops", Redacted.make("hunter2"))
 * Result.isFailure(short) && short.failure.message // => "token: must be 32 to 256 hex digits"
 * ```
 */
export const make = (label: string, token: Redacted.Redacted): Result.Result<AdminToken, SettingError> => {
  if (!/^[\x20-\x7e]{1,64}$/u.test(label)) return wrong("label", "must have 1 to 64 printable characters")
  const text = Redacted.value(token)
  return /^[0-9a-fA-F]{32,256}$/u.test(text)
    ? Result.succeed({ label, digest: ApiKey.digest(text) })
    : wrong("token", "must be 32 to 256 hex digits")
}

const wrong = (setting: string, problem: string): Result.Result<never, SettingError> =>
  Result.fail(new SettingError({ setting, problem }))
