/**
 * Compares how two sides end the same call.
 *
 * Results that the protocol decides must be equal to the last byte and the last gas. Others are a choice of the node:
 * each side states its own, and an end passes only if it is the one that the side's choice foretells.
 */
import { type Hex, hexToBigInt, pad } from "viem"

import type { Call } from "./draw/randomCalls.ts"
import type { Node } from "./oracleNodes.ts"
import { type Outcome, shown } from "./outcome.ts"

/** A side: the node whose block it reads, and its choices. */
export interface Side {
  readonly name: string
  readonly node: Pick<Node, "head" | "hashes">
  readonly choices: Choices
}

/** The choices of a side. */
export interface Choices {
  /** The base fee that a contract sees if the call names no price. */
  readonly feeWithoutPrice: "of the block" | "zero"
  /** The gas of a call that names none: the gas limit of the block, or this. */
  readonly gas: "of the block" | bigint
  /** The most gas that a call can have. It gets no more, whatever it names. */
  readonly gasCap: bigint | undefined
  /** The answer to a call whose price is below the base fee. */
  readonly lowPrice: "refused" | "run"
  /** The end of a creation by an account whose nonce is 2^64 - 1. */
  readonly lastNonce: "halted" | "returned nothing"
  /** The reason that is named for a call that has neither its intrinsic gas nor the value that it sends. */
  readonly checksFirst: "intrinsic gas" | "insufficient funds"
  /** The calls that the side cannot run, by what it says of them. */
  readonly declines: RegExp | undefined
}

/** The choices of anvil 1.7.1. */
export const anvilChoices: Choices = {
  feeWithoutPrice: "of the block",
  gas: "of the block",
  gasCap: undefined,
  lowPrice: "run",
  lastNonce: "returned nothing",
  checksFirst: "intrinsic gas",
  declines: undefined
}

/** The choices of geth 1.16.9 with its usual `--rpc.gascap`. */
export const gethChoices: Choices = {
  feeWithoutPrice: "zero",
  gas: 50_000_000n,
  gasCap: 50_000_000n,
  lowPrice: "refused",
  lastNonce: "halted",
  checksFirst: "insufficient funds",
  declines: undefined
}

/** Returns the two ends as text if they differ, otherwise undefined. */
export const difference = (
  call: Call,
  [one, oneEnd]: readonly [Side, Outcome],
  [other, otherEnd]: readonly [Side, Outcome]
): readonly [one: string, other: string] | undefined => {
  const ends = [
    [one, oneEnd],
    [other, otherEnd]
  ] as const
  if (bothRefuse(ends) || ends.some(([side, end]) => declines(side, end))) return undefined
  const text = canonical(call, one, oneEnd)
  const otherText = canonical(call, other, otherEnd)
  if (text === otherText) return undefined
  const numbered = [withoutHashes(one, text), withoutHashes(other, otherText)] as const
  return numbered[0] === numbered[1] ? undefined : numbered
}

/** True if each side refuses for the reason that it checks first. */
const bothRefuse = (ends: ReadonlyArray<readonly [Side, Outcome]>): boolean =>
  ends.every(([{ choices }, end]) => end._tag === "refused" && end.by === choices.checksFirst)

/** True if the side says that it cannot run the call, as its choices foretell. Nothing is compared then. */
export const declines = ({ choices }: Side, end: Outcome): boolean =>
  end._tag === "declined" && choices.declines?.test(end.why) === true

/** Replaces the hashes of a side's blocks by the numbers of the blocks. */
const withoutHashes = ({ node }: Side, text: string): string => {
  let replaced = text
  for (const [number, hash] of node.hashes) replaced = replaced.replaceAll(hash.slice(2), `<hash of block ${number}>`)
  return replaced
}

const FORETOLD = "as the choice foretells"

/** The end of a call in a form that is equal on every side that keeps to the protocol and to its choices. */
const canonical = ({ choice, transaction }: Call, { choices, node }: Side, end: Outcome): string => {
  const text = shown(end)
  if (choice === undefined) return text
  switch (choice) {
    case "feeWithoutPrice": {
      const expected = choices.feeWithoutPrice === "zero" ? 0n : hexToBigInt(node.head.baseFeePerGas)
      const first: Hex = pad(`0x${expected.toString(16)}`, { size: 32 })
      return text.replace(`returned ${first}`, `returned <${FORETOLD}>`)
    }
    case "gas": {
      const named = transaction.gas ?? (choices.gas === "of the block" ? node.head.gasLimit : choices.gas)
      const given = choices.gasCap !== undefined && BigInt(named) > choices.gasCap ? choices.gasCap : BigInt(named)
      return end._tag === "returned" ? `all but ${given - hexToBigInt(end.data)}, ${end.gasUsed} gas` : text
    }
    case "lowPrice": {
      const refused = end._tag === "refused" && end.by === "fee below base fee"
      return refused === (choices.lowPrice === "refused") ? FORETOLD : text
    }
    case "lastNonce": {
      const halted = end._tag === "halted" && end.by === "nonce"
      const nothing = end._tag === "returned" && end.data === "0x"
      return (choices.lastNonce === "halted" ? halted : nothing) && "gasUsed" in end
        ? `${FORETOLD}, ${end.gasUsed} gas`
        : text
    }
    case "checksFirst":
      return end._tag === "refused" && end.by === choices.checksFirst ? FORETOLD : text
  }
}
