/**
 * The text that replaces a secret.
 */

/**
 * The default placeholder, unless a caller gives its own.
 *
 * ```ts import.meta.vitest
 * import { Placeholder } from "@plumbline/redaction"
 *
 * Placeholder.REDACTED // => "<redacted>"
 * ```
 */
export const REDACTED = "<redacted>"
