/**
 * The certificate of a listener, checked before it is used.
 */
import { X509Certificate } from "node:crypto"
import { createSecureContext } from "node:tls"

import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"

import * as Setting from "../schema/Setting.ts"

/**
 * A certificate and its key, as PEM.
 */
export interface Tls {
  /** The certificate, followed by the intermediate certificates up to the root. */
  readonly certificate: string
  readonly key: Redacted.Redacted
  /** The oldest TLS version that clients may use (default: `TLSv1.2`). */
  readonly minVersion?: TlsVersion | undefined
}

/**
 * The TLS versions that a listener supports.
 */
export type TlsVersion = typeof minVersion.Type

/** The setting of the oldest version. */
export const minVersion = Setting.defaulted(
  Setting.literal(["TLSv1.2", "TLSv1.3"], {
    description: "The oldest version that clients may speak.",
    default: "TLSv1.2"
  })
)

/**
 * The default minimum version.
 */
export const defaults: { readonly minVersion: TlsVersion } = { minVersion: Setting.usualOf(minVersion.to) }

/**
 * A certificate with a matching key, in the form of `node:tls`.
 */
export interface CheckedTls {
  readonly context: { readonly cert: string; readonly key: string; readonly minVersion: TlsVersion }
  /** Time at which the certificate expires, in seconds since 1970 UTC. */
  readonly ends: number
}

/**
 * The problem of a certificate and its key, in words that contain no part of either, and the setting to change.
 */
export interface TlsProblem {
  readonly setting: "certificate" | "key"
  readonly problem: string
}

/**
 * Returns the certificate if it can be read and matches the key. Otherwise returns the problem.
 *
 * ```ts import.meta.vitest
 * import { Tls } from "@plumbline/gateway"
 * import { Redacted, Result } from "effect"
 *
 * const checked = Tls.check({ certificate: "nonsense", key: Redacted.make("nonsense") })
 * Result.isFailure(checked) && checked.failure.problem // => "the certificate is not a certificate in PEM"
 * ```
 */
export const check = ({
  certificate,
  key,
  minVersion = defaults.minVersion
}: Tls): Result.Result<CheckedTls, TlsProblem> => {
  let ends: number
  try {
    ends = Date.parse(new X509Certificate(certificate).validTo) / 1000
  } catch {
    return Result.fail({ setting: "certificate", problem: "the certificate is not a certificate in PEM" })
  }
  const context = { cert: certificate, key: Redacted.value(key), minVersion }
  try {
    createSecureContext(context)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return Result.fail({
      setting: "key",
      problem:
        code === "ERR_OSSL_X509_KEY_VALUES_MISMATCH"
          ? "the key is not that of the certificate"
          : `the key or the certificate cannot be used${code === undefined ? "" : ` (${code})`}`
    })
  }
  return Result.succeed({ context, ends })
}
