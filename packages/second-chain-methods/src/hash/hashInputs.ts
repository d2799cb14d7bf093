/** The input of a hash as data: the hashed felts in order, with their names. */
import { pedersenOf } from "./pedersen.ts"
import { poseidonOf } from "./poseidon.ts"

/** A felt of a preimage, or the list whose hash is that felt. */
export interface HashInputPart {
  readonly name: string
  readonly value: bigint | HashInput
}

/** The felts that one hash covers, in order. */
export interface HashInput {
  readonly algorithm: "pedersen" | "poseidon"
  readonly parts: ReadonlyArray<HashInputPart>
}

/** Returns the hash of a preimage. Throws a `RangeError` for a number outside the range of felts. */
export const digest = ({ algorithm, parts }: HashInput): bigint => {
  const felts = parts.map(({ value }) => (typeof value === "bigint" ? value : digest(value)))
  return algorithm === "pedersen" ? pedersenOf(felts) : poseidonOf(felts)
}

/** Returns the preimage of named felts and lists. */
export const of = (
  algorithm: HashInput["algorithm"],
  parts: ReadonlyArray<readonly [name: string, value: bigint | HashInput]>
): HashInput => ({ algorithm, parts: parts.map(([name, value]) => ({ name, value })) })

/** Returns the preimage of a list. The name of each felt is the name of the list and the index. */
export const list = (algorithm: HashInput["algorithm"], name: string, felts: ReadonlyArray<bigint>): HashInput => ({
  algorithm,
  parts: felts.map((value, at) => ({ name: `${name}[${at}]`, value }))
})
