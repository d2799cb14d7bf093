/**
 * Shows the path of a request without the keys in it.
 */
import { REDACTED } from "./Placeholder.ts"

/**
 * Returns a function that keeps the known words of a path, and replaces every other segment. The query is dropped.
 *
 * The function does not depend on the form of a key, so a key in an unexpected place (`/v2/<key>`) is hidden too. At
 * most eight segments are kept.
 *
 * ```ts import.meta.vitest
 * import { RequestTarget } from "@plumbline/redaction"
 *
 * const shown = RequestTarget.redactor(["v3", "ws", "health"])
 * shown("/v3/0123456789abcdef?x=1") // => "/v3/<redacted>"
 * shown("/ws/v3/secret") // => "/ws/v3/<redacted>"
 * shown("/health") // => "/health"
 * ```
 */
export const redactor = (words: Iterable<string>): ((target: string) => string) => {
  const known = new Set(["", ...words])
  return (target) => {
    const end = target.search(/[?#]/)
    const segments = (end === -1 ? target : target.slice(0, end)).split("/", MAX_SEGMENTS)
    return segments.map((segment) => (known.has(segment) ? segment : REDACTED)).join("/")
  }
}

/** Maximum number of segments that are shown, to keep a line of the log short. */
const MAX_SEGMENTS = 8
