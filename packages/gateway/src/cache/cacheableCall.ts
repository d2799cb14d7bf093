/**
 * Selects the calls whose answers may be cached: calls that name a block by its hash or its number, or name a
 * transaction. Calls with a tag such as `latest` are left out, because the tag soon means another block.
 */
import { createHash } from "node:crypto"

import type * as EthMethod from "@plumbline/eth-methods/methods/EthMethod"
import * as EthMethods from "@plumbline/eth-methods/methods/EthMethods"

import * as RunMethods from "../integrity/runMethods.ts"

/** A call whose answer may be cached. */
export interface CacheableCall {
  /** The key of the answer. It is the same for the same method and parameters. */
  readonly key: string
  /** The block hash in the call, in lower case; undefined if the call names a block number or a transaction. */
  readonly named: string | undefined
}

/** Returns the question of a call; undefined if its answer must not be cached. */
export const of = (method: string, params: ReadonlyArray<unknown>): CacheableCall | undefined => {
  const place = places.get(method)
  const block = place?.subjectOf(params[place.at])
  return block === undefined ? undefined : { key: keyOf(method, params), named: block.hash }
}

/** The subject of a call. `hash` is the block hash in the call; it is undefined for a block number or a transaction. */
interface CallSubject {
  readonly hash: string | undefined
}

const FIXED: CallSubject = { hash: undefined }

const isHash = (value: unknown): value is string => typeof value === "string" && /^0x[0-9a-fA-F]{64}$/u.test(value)

const isNumber = (value: unknown): boolean => typeof value === "string" && /^0x[0-9a-fA-F]{1,16}$/u.test(value)

const byHash = (hash: unknown): CallSubject | undefined => (isHash(hash) ? { hash: hash.toLowerCase() } : undefined)

/** Returns the block that a parameter names (EIP-1898). With `requireCanonical` the answer can change after a reorg. */
const byBlock = (block: unknown): CallSubject | undefined => {
  if (isNumber(block)) return FIXED
  if (typeof block !== "object" || block === null) return byHash(block)
  const { blockHash, blockNumber, requireCanonical } = block as Readonly<Record<string, unknown>>
  return isNumber(blockNumber) ? FIXED : requireCanonical === true ? undefined : byHash(blockHash)
}

const byFilter = (filter: unknown): CallSubject | undefined => {
  if (typeof filter !== "object" || filter === null) return undefined
  const { blockHash, fromBlock, toBlock } = filter as Readonly<Record<string, unknown>>
  return blockHash !== undefined ? byHash(blockHash) : isNumber(fromBlock) && isNumber(toBlock) ? FIXED : undefined
}

const byTransaction = (hash: unknown): CallSubject | undefined => (isHash(hash) ? FIXED : undefined)

/** Returns the subject of a call by the argument that names it. Only such arguments make an answer lasting. */
const subjects: Readonly<Partial<Record<EthMethod.ParamNames, (argument: unknown) => CallSubject | undefined>>> = {
  block: byBlock,
  transaction: byTransaction,
  logs: byFilter
}

/** The position of the argument that names the subject, for each method whose answer can be proven. */
const places = new Map(
  EthMethods.all.flatMap(({ name, params, trust }) =>
    params.flatMap(({ names }, at) => {
      const subjectOf = subjects[names]
      return (trust === "proven" || RunMethods.isRun(name)) && subjectOf !== undefined
        ? [[name, { at, subjectOf }] as const]
        : []
    })
  )
)

/**
 * Maximum length of parameters in a key. Longer parameters are hashed, because a filter of logs may have thousands of
 * topics.
 */
const MAX_KEY = 256

const keyOf = (method: string, params: ReadonlyArray<unknown>): string => {
  const text = JSON.stringify(params)
  return `${method} ${text.length > MAX_KEY ? createHash("sha256").update(text).digest("hex") : text}`
}
