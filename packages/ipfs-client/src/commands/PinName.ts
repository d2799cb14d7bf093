/**
 * Names of pins, and where one may be given.
 *
 * Source: Kubo 0.43 `core/commands/pin` and `add`.
 */

/** The longest name of a pin, in bytes of UTF-8: 255, as in Kubo. */
export const MAX_BYTES = 255

/**
 * A sentence that says why a name cannot be that of a pin, or asked for; `undefined` where it can, or there is none.
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
 * The same of the name that the pin of something added is to have: an `add` that pins nothing takes none, not even an empty
 * one.
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
