/**
 * The text that stands in the place of a secret.
 *
 * @since 0.1.0
 */

/**
 * Replaces every secret unless a caller names a text of its own.
 *
 * ```ts import.meta.vitest
 * import { Placeholder } from "@plumbline/redaction"
 *
 * Placeholder.REDACTED // => "<redacted>"
 * ```
 *
 * @since 0.1.0
 */
export const REDACTED = "<redacted>"
