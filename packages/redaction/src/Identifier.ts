/**
 * Shows an identifier that a caller gave, unless it is a key.
 */
import { REDACTED } from "./Placeholder.ts"

/**
 * Returns the identifier, or the placeholder if it contains 32 hexadecimal digits. In that case the caller passed a
 * key, a secret or an admin token in place of the identifier.
 *
 * ```ts import.meta.vitest
 * import { Identifier } from "@plumbline/redaction"
 *
 * Identifier.redact("0b74de38-7381-4d14-8220-3bcc27cbbdb1") // => "0b74de38-7381-4d14-8220-3bcc27cbbdb1"
 * Identifier.redact("0123456789abcdef0123456789abcdef") // => "<redacted>"
 * ```
 */
export const redact = (id: string): string => (/[0-9a-f]{32}/i.test(id) ? REDACTED : id)
