/** The arithmetic of blst on BLS12-381. */
import type { BlsArithmetic } from "./signatureEngine.ts"

/** The part of `@chainsafe/blst` that this file uses. With it, no type declaration needs the package. */
export interface Blst<Key extends { readonly toBytes: () => Uint8Array }, Signature> {
  readonly PublicKey: { readonly fromBytes: (bytes: Uint8Array, isChecked?: boolean) => Key }
  readonly Signature: {
    readonly fromBytes: (bytes: Uint8Array, isChecked?: boolean, isInfinityRefused?: boolean) => Signature
  }
  readonly aggregatePublicKeys: (keys: Array<Key>) => Key
  readonly verify: (message: Uint8Array, key: Key, signature: Signature) => boolean
}

/** The bit of a compressed point that distinguishes its `y` from the `y` of the negated point. */
const SIGN = 0x20

/** The bit of a compressed point that marks infinity. */
const INFINITY = 0x40

/** Returns the result of a function of the package, or undefined if it throws. It throws for an invalid point. */
const read = <A>(from: () => A): A | undefined => {
  try {
    return from()
  } catch {
    return undefined
  }
}

/** Makes the arithmetic from the loaded package. */
export const blstPoints = <Key extends { readonly toBytes: () => Uint8Array }, Signature>(
  blst: Blst<Key, Signature>
): BlsArithmetic<Key, Signature> => ({
  name: "@chainsafe/blst",
  key: (bytes) => read(() => blst.PublicKey.fromBytes(bytes, true)),
  signature: (bytes) => read(() => blst.Signature.fromBytes(bytes, true, true)),
  negate: (key) => {
    const bytes = key.toBytes()
    bytes[0]! ^= SIGN
    return blst.PublicKey.fromBytes(bytes)
  },
  sum: (keys) => {
    const sum = blst.aggregatePublicKeys([...keys])
    return (sum.toBytes()[0]! & INFINITY) === 0 ? sum : undefined
  },
  verify: (key, message, signature) => read(() => blst.verify(message, key, signature)) ?? false
})
