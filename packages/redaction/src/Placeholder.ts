/**
 * The text that replaces a secret.
 */

/**
 * The default placeholder.
 *
 * ```ts import.meta.vitest
 * import { Placeholder } from "@plumbline/redaction"
 *
 * Placeholder.REDACTED // => "<redacted>"
 * ```
 */
export const REDACTED = "<redacted>"
