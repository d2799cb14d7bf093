/**
 * The certificate of a listener, checked before it is used.
 */
import { X509Certificate } from "node:crypto"
import { createSecureContext } from "node:tls"

import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"

/**
 * A certificate and its key, as PEM.
 */
export interface Tls {
  /** The certificate, followed by those between it and the root. */
  readonly certificate: string
  readonly key: Redacted.Redacted
  /** The oldest version that clients may speak. Default `TLSv1.2`. */
  readonly minVersion?: Version | undefined
}

/**
 * The versions that a listener speaks.
 */
export type Version = "TLSv1.2" | "TLSv1.3"

/**
 * The defaults of the options.
 */
export const defaults: { readonly minVersion: Version } = { minVersion: "TLSv1.2" }

/**
 * A certificate that fits its key, in the form of `node:tls`.
 */
export interface Checked {
  readonly context: { readonly cert: string; readonly key: string; readonly minVersion: Version }
  /** Unix time in seconds at which the certificate ends. */
  readonly ends: number
}

/**
 * Returns the certificate if it can be read and fits the key, or the problem in words that repeat neither.
 *
 * ```ts import.meta.vitest
 * import { Tls } from "@plumbline/gateway"
 * import { Redacted, Result } from "effect"
 *
 * const checked = Tls.check({ certificate: "nonsense", key: Redacted.make("nonsense") })
 * Result.isFailure(checked) && checked.failure // => "the certificate is not a certificate in PEM"
 * ```
 */
export const check = ({ certificate, key, minVersion = defaults.minVersion }: Tls): Result.Result<Checked, string> => {
  let ends: number
  try {
    ends = Date.parse(new X509Certificate(certificate).validTo) / 1000
  } catch {
    return Result.fail("the certificate is not a certificate in PEM")
  }
  const context = { cert: certificate, key: Redacted.value(key), minVersion }
  try {
    createSecureContext(context)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return Result.fail(
      code === "ERR_OSSL_X509_KEY_VALUES_MISMATCH"
        ? "the key is not that of the certificate"
        : `the key or the certificate cannot be used${code === undefined ? "" : ` (${code})`}`
    )
  }
  return Result.succeed({ context, ends })
}
