/**
 * The first transaction of a block of the OP stack: a deposit that tells the chain about the block of L1 from which it is
 * derived.
 *
 * The calldata is proven with the transaction. That it is true is the sequencer's word until L1 settles the block:
 * compare `hash` with a proven block of L1. The block that activates a fork still has the older form.
 *
 * Sources: OP-stack specification (protocol/deposits; ecotone, isthmus and jovian of L1 attributes).
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Bytes from "@plumbline/codec/hex/Bytes"
import * as Hex from "@plumbline/codec/hex/Hex"
import type * as Address from "@plumbline/codec/value/Address"
import * as PlainAddress from "@plumbline/codec/value/PlainAddress"
import * as Result from "effect/Result"

import { L1AttributesError } from "./L1AttributesError.ts"
import type * as Transaction from "./Transaction.ts"

export { L1AttributesError } from "./L1AttributesError.ts"

/** Fields of every form. */
export interface Common {
  /** The number of the block of L1. */
  readonly number: bigint
  /** The time of the block of L1, in Unix seconds. */
  readonly timestamp: bigint
  /** The hash of the block of L1. */
  readonly hash: Hash32.Hash32
  /** The base fee of the block of L1, in wei per unit of gas. */
  readonly baseFee: bigint
  /** The number of blocks before this one that are derived from the same block of L1. */
  readonly sequenceNumber: bigint
  /** The account that sends batches to L1. */
  readonly batcher: Address.Address
}

/** The form of Bedrock. The fee is (gas of the data + overhead) * baseFee * scalar / 10^6. */
export interface Bedrock extends Common {
  readonly form: "Bedrock"
  /** Gas that each transaction counts for beside its data. */
  readonly overhead: bigint
  /** In millionths. */
  readonly scalar: bigint
}

/** The fields since Ecotone. The scalars are in millionths. */
export interface Scalars extends Common {
  readonly baseFeeScalar: bigint
  readonly blobBaseFeeScalar: bigint
  /** The price of blob gas in the block of L1, in wei. */
  readonly blobBaseFee: bigint
}

/** The form of Ecotone. */
export interface Ecotone extends Scalars {
  readonly form: "Ecotone"
}

/** The form of Isthmus, with the operator's fee. */
export interface Isthmus extends Scalars {
  readonly form: "Isthmus"
  /** In millionths of a wei per unit of gas; in the form of Jovian, in hundreds of wei. */
  readonly operatorFeeScalar: bigint
  /** In wei per transaction. */
  readonly operatorFeeConstant: bigint
}

/** The form of Jovian. */
export interface Jovian extends Omit<Isthmus, "form"> {
  readonly form: "Jovian"
  /** Gas for each byte of compressed data. */
  readonly daFootprintGasScalar: bigint
}

/** The attributes in one of the known forms. */
export type L1Attributes = Bedrock | Ecotone | Isthmus | Jovian

/** The account in whose name the attributes are deposited. */
export const DEPOSITOR: Address.Address = /* @__PURE__ */ PlainAddress.fromHexUnsafe(
  "0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001"
)

/** The contract that keeps the attributes. */
export const CONTRACT: Address.Address = /* @__PURE__ */ PlainAddress.fromHexUnsafe(
  "0x4200000000000000000000000000000000000015"
)

/** The forms by their selector, with the size of their calldata in bytes. */
const FORMS = {
  "0x015d8eb9": ["Bedrock", 260],
  "0x440a5e20": ["Ecotone", 164],
  "0x098999be": ["Isthmus", 176],
  "0x3db6be2b": ["Jovian", 178]
} as const

/**
 * Reads the attributes of a deposit, and checks that its `sourceHash` follows from them. Fails with `L1AttributesError`.
 *
 * ```ts import.meta.vitest
 * import { Hash32 } from "@plumbline/codec"
 * import { L1Attributes } from "@plumbline/eth-methods"
 * import { Result } from "effect"
 *
 * const zeros = Hash32.fromHexUnsafe(`0x${"00".repeat(32)}`)
 * const from = L1Attributes.DEPOSITOR
 * const none = L1Attributes.decode({ from, to: null, input: "0x", sourceHash: zeros })
 * Result.isFailure(none) && none.failure.field // => "to"
 * ```
 */
export const decode = ({
  from,
  input,
  sourceHash,
  to
}: Pick<Transaction.Deposit, "from" | "to" | "input" | "sourceHash">): Result.Result<
  L1Attributes,
  L1AttributesError
> => {
  if (!Hex.equals(from, DEPOSITOR)) return wrong("from", DEPOSITOR, from)
  if (to === null || !Hex.equals(to, CONTRACT)) return wrong("to", CONTRACT, to ?? "none")
  const selector = input.slice(0, 10).toLowerCase()
  const form = FORMS[selector as keyof typeof FORMS]
  if (form === undefined) return wrong("input", "the selector of a known form", selector)
  const [name, size] = form
  if (Hex.size(input) !== size)
    return wrong("input", `${size} bytes for the form of ${name}`, `${Hex.size(input)} bytes`)
  const attributes = read(name, input)
  const expected = sourceHashOf(attributes.hash, attributes.sequenceNumber)
  return Hex.equals(sourceHash, expected) ? Result.succeed(attributes) : wrong("sourceHash", expected, sourceHash)
}

/** Returns the source hash of the attributes deposit of a block of L1. */
export const sourceHashOf = (l1Hash: Hash32.Hash32, sequenceNumber: bigint): Hash32.Hash32 => {
  const inner = Keccak256.hash(Bytes.concat(Hex.toBytesUnsafe(l1Hash), word(sequenceNumber)))
  return Hash32.fromBytesUnsafe(Keccak256.hash(Bytes.concat(word(ATTRIBUTES), inner)))
}

/** The domain of source hashes of attributes. */
const ATTRIBUTES = 1n

const word = (value: bigint): Uint8Array => Hex.toBytesUnsafe(`0x${value.toString(16).padStart(64, "0")}`)

const wrong = (
  field: L1AttributesError["field"],
  expected: string,
  got: string
): Result.Result<never, L1AttributesError> => Result.fail(new L1AttributesError({ field, expected, got }))

const read = (form: L1Attributes["form"], input: Hex.Hex): L1Attributes => {
  const text = (at: number, size: number): Hex.Hex => `0x${input.slice(2 + 2 * at, 2 + 2 * (at + size)).toLowerCase()}`
  const number = (at: number, size: number): bigint => BigInt(text(at, size))
  const hash = Hash32.fromHexUnsafe(text(100, 32))
  if (form === "Bedrock") {
    return {
      form,
      number: number(4, 32),
      timestamp: number(36, 32),
      baseFee: number(68, 32),
      hash,
      sequenceNumber: number(132, 32),
      batcher: PlainAddress.fromHexUnsafe(text(176, 20)),
      overhead: number(196, 32),
      scalar: number(228, 32)
    }
  }
  const scalars = {
    baseFeeScalar: number(4, 4),
    blobBaseFeeScalar: number(8, 4),
    sequenceNumber: number(12, 8),
    timestamp: number(20, 8),
    number: number(28, 8),
    baseFee: number(36, 32),
    blobBaseFee: number(68, 32),
    hash,
    batcher: PlainAddress.fromHexUnsafe(text(144, 20))
  }
  if (form === "Ecotone") return { form, ...scalars }
  const operator = { ...scalars, operatorFeeScalar: number(164, 4), operatorFeeConstant: number(168, 8) }
  return form === "Isthmus" ? { form, ...operator } : { form, ...operator, daFootprintGasScalar: number(176, 2) }
}
