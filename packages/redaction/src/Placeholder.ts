/**
 * The text that replaces a secret.
 *
 * @since 0.1.0
 */

/**
 * The default placeholder, unless a caller gives its own.
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
