/** URLs of content by its ENS name, such as `ens://alice.eth/docs/readme.md`. */
import * as Result from "effect/Result"

import * as EnsName from "./EnsName.ts"

/** A name, and the path below its content. */
export interface EnsUrl {
  readonly name: EnsName.EnsName
  /** The names of the path, as they are written: nothing in them is percent-encoded. */
  readonly path: ReadonlyArray<string>
}

/** Maximum length of a URL, in UTF-16 code units. */
export const MAX_LENGTH = 4096

/** True if the text begins as a URL of this kind does. */
export const isUrl = (text: string): boolean => /^ens:\/\//iu.test(text)

/**
 * Reads a URL. A slash at its end is ignored. Fails with `EnsNameError` if there is no name, or the text is longer than
 * `MAX_LENGTH`.
 *
 * ```ts import.meta.vitest
 * import { EnsUrl } from "@plumbline/ens"
 * import { Result } from "effect"
 *
 * EnsUrl.fromText("ens://Alice.eth/docs/a.md") // => Result.succeed({ name: "alice.eth", path: ["docs", "a.md"] })
 * Result.isFailure(EnsUrl.fromText("ens:///docs")) // => true
 * ```
 */
export const fromText = (text: string): Result.Result<EnsUrl, EnsName.EnsNameError> => {
  if (text.length > MAX_LENGTH) return Result.fail(new EnsName.EnsNameError({ reason: "TooLong" }))
  const [name = "", ...path] = text
    .replace(/^ens:\/\//iu, "")
    .replace(/\/$/u, "")
    .split("/")
  return Result.map(EnsName.fromText(name), (name) => ({ name, path }))
}
