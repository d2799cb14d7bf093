/** The reason in the bytes of a revert: the text of `Error(string)`, or the meaning of `Panic(uint256)`. */
import * as EvmWord from "./evmWord.ts"

/**
 * Returns the reason; undefined for other bytes, such as a contract's own errors.
 *
 * Source: Solidity's documentation (control structures, panic and error).
 */
export const revertReason = (data: Uint8Array): string | undefined => {
  const selector = data.length >= 4 ? new DataView(data.buffer, data.byteOffset).getUint32(0) : 0
  if (selector === ERROR) {
    if (word(data, 4) !== 32n) return undefined
    const length = word(data, 36)
    if (length === undefined || length > BigInt(data.length - 68)) return undefined
    return decoder.decode(data.subarray(68, 68 + Number(length)))
  }
  if (selector !== PANIC || data.length !== 36) return undefined
  const code = word(data, 4)!
  return PANICS.get(code) ?? `panic 0x${code.toString(16)}`
}

const ERROR = 0x08c379a0
const PANIC = 0x4e487b71

const PANICS: ReadonlyMap<bigint, string> = new Map([
  [0x00n, "generic panic"],
  [0x01n, "assert(false)"],
  [0x11n, "arithmetic underflow or overflow"],
  [0x12n, "division or modulo by zero"],
  [0x21n, "enum overflow"],
  [0x22n, "invalid encoded storage byte array accessed"],
  [0x31n, "out-of-bounds array access; popping on an empty array"],
  [0x32n, "out-of-bounds access of an array or bytesN"],
  [0x41n, "out of memory"],
  [0x51n, "uninitialized function"]
])

const decoder = /* @__PURE__ */ new TextDecoder()

const word = (data: Uint8Array, at: number): bigint | undefined =>
  data.length < at + 32 ? undefined : EvmWord.read(data, at, at + 32)
