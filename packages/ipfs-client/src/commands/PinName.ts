/**
 * Checks the names of pins.
 *
 * Source: Kubo 0.43 `core/commands/pin` and `add`.
 */

/** Maximum length of a pin's name, in bytes of UTF-8: 255, as in Kubo. */
export const MAX_BYTES = 255

/**
 * Returns a sentence that says why a text cannot be the name of a pin; `undefined` for a valid name, or without a name.
 *
 * ```ts import.meta.vitest
 * import { PinName } from "@plumbline/ipfs-client"
 *
 * PinName.flaw("a".repeat(255)) // => undefined
 * PinName.flaw("\u00e9".repeat(128)) // => "pin name is 256 bytes (max 255 bytes)"
 * ```
 */
export const flaw = (name: string | undefined): string | undefined => {
  if (name === undefined || name.length * 3 <= MAX_BYTES) return undefined
  const bytes = new TextEncoder().encode(name).length
  return bytes > MAX_BYTES ? `pin name is ${bytes} bytes (max ${MAX_BYTES} bytes)` : undefined
}

/**
 * Returns the flaw of the pin name of an `add`, as `flaw` does. An `add` that pins nothing accepts no name, not even an
 * empty one.
 *
 * ```ts import.meta.vitest
 * import { PinName } from "@plumbline/ipfs-client"
 *
 * PinName.flawOfAdd({ pinName: "a" }) // => undefined
 * PinName.flawOfAdd({ pinName: "a", pin: false }) // => "pin-name option requires pin to be set"
 * ```
 */
export const flawOfAdd = (options: {
  readonly pin?: boolean | undefined
  readonly pinName?: string | undefined
  readonly onlyHash?: boolean | undefined
}): string | undefined => {
  const { onlyHash, pin, pinName } = options
  if (pinName === undefined) return undefined
  return flaw(pinName) ?? (pin === false || onlyHash === true ? "pin-name option requires pin to be set" : undefined)
}
