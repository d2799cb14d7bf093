/** Reads from a node's blocks the parts that are needed to follow the chain. */
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as JsonBytes from "@plumbline/jsonrpc-core/scan/JsonBytes"
import * as Cause from "effect/Cause"

import * as Redaction from "../../errors/Redaction.ts"
import { UpstreamError } from "../UpstreamError.ts"

export interface EthBlock {
  readonly number: bigint
  readonly hash: string
  readonly parentHash: string
  /** The JSON text of the header. */
  readonly header: Uint8Array
}

/**
 * Reads a block from a node's JSON. Members that do not belong to a header are removed. If there are none, the text is
 * not changed.
 */
export const read = (json: Uint8Array): EthBlock | undefined => {
  const value = JsonBytes.parse(json)
  if (typeof value !== "object" || value === null) return undefined
  const { hash, number, parentHash } = value as Readonly<Record<string, unknown>>
  return isHash(hash) && isHash(parentHash) && typeof number === "string" && /^0x[0-9a-fA-F]{1,16}$/u.test(number)
    ? {
        number: BigInt(number),
        hash: hash.toLowerCase(),
        parentHash: parentHash.toLowerCase(),
        header: headerOf(value, json)
      }
    : undefined
}

const headerOf = (block: object, json: Uint8Array): Uint8Array => {
  const members = Object.entries(block)
  const ofHeader = members.filter(([name]) => !notOfHeader.has(name))
  return ofHeader.length === members.length ? json : encoder.encode(JSON.stringify(Object.fromEntries(ofHeader)))
}

/** Returns a description of the failure without any text of the node. */
export const sentence = (error: ErrorObject | UpstreamError): string =>
  error instanceof UpstreamError ? error.message : `the node answered with error ${error.code}`

/** Returns a description of a defect without secrets, for the log. */
export const defect = (defect: unknown): string => Redaction.text(Cause.pretty(Cause.die(defect)))

/**
 * Members of a block that geth leaves out of the header that it pushes for `newHeads`. anvil pushes the whole block.
 */
const notOfHeader: ReadonlySet<string> = new Set([
  "transactions",
  "uncles",
  "withdrawals",
  "size",
  "totalDifficulty",
  "blockAccessList"
])

export const isHash = (value: unknown): value is string =>
  typeof value === "string" && /^0x[0-9a-fA-F]{64}$/u.test(value)

const encoder = new TextEncoder()
