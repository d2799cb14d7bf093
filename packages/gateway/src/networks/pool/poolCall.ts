/** Reads the facts that decide the choice of a node, from a call and from its method's entry in the network's table. */
import type * as Method from "@plumbline/jsonrpc-core/method/Method"
import type * as MethodGroup from "@plumbline/jsonrpc-core/method/MethodGroup"

import type { HistoryData } from "./nodeCapabilities.ts"

/** The kind of a call for failover. Reads and submissions can be sent again; other calls only if they had no effect. */
export type CallKind = "read" | "submission" | "other"

/** The tags of the blocks that move with the chain. `pending` counts as `latest`. */
export type HeadTag = "latest" | "safe" | "finalized"

/** The facts about a method that are the same for all its calls. */
export interface MethodTrait {
  readonly method: string
  readonly kind: CallKind
  /**
   * True if a node's error text cannot contain text of a caller, because the parameters are checked and no contract
   * runs. Only such a text is remembered as a fact about the node after the call.
   */
  readonly hasNodesWords: boolean
  /**
   * True if the method is in the network's table. The pool remembers facts only about methods of the table, because the
   * size of the table is bounded.
   */
  readonly isKnown: boolean
  /** The data of old blocks that answers the call. Nodes drop states long before blocks. */
  readonly history: HistoryData
  /** The index of the parameter that names the block, or -1. */
  readonly blockAt: number
  /** True if the parameter that names the block is a log filter, which has a range of blocks. */
  readonly isFilter: boolean
  /**
   * The form in which the answer names the head: a number, or a block. Undefined if the answer does not name the head.
   */
  readonly gives: "number" | "block" | undefined
  /** True if an answer of `null` may mean that the node does not have the block yet. */
  readonly isNullable: boolean
}

/**
 * A method, with the facts about its calls that name no block number. These facts are made once, and shared by the
 * calls.
 */
export interface MethodFacts {
  readonly trait: MethodTrait
  readonly plain: RoutedCall
  readonly at: Readonly<Record<HeadTag, RoutedCall>>
}

/** The facts about one call: its method, and the blocks that it names. */
export interface RoutedCall {
  readonly trait: MethodTrait
  /** The tag of the moving head that the call refers to. */
  readonly tag: HeadTag | undefined
  /** The lowest block number that the call names. `newest` is the highest. */
  readonly oldest: number | undefined
  readonly newest: number | undefined
}

/** Returns the methods of a network's table by name. */
export const table = (methods: MethodGroup.Any): ReadonlyMap<string, MethodFacts> =>
  new Map(Object.values(methods.methods).map((method) => [method.name, askingOf(traitOf(method))]))

/** Returns the facts about a method that may be missing in the network's table. */
export const foreign = (method: string, kind: CallKind, hasNodesWords = false): MethodFacts =>
  askingOf({ ...make(method, kind, undefined), hasNodesWords })

/** Returns the facts about one call. */
export const of = ({ at, plain, trait }: MethodFacts, params: ReadonlyArray<unknown>): RoutedCall => {
  if (trait.blockAt === -1) return plain
  const named = params[trait.blockAt]
  if (trait.isFilter) return ofFilter(plain, named)
  const block = blockOf(named)
  if (typeof block === "string") return at[block]
  return block === undefined ? plain : { trait, tag: undefined, oldest: block, newest: block }
}

const traitOf = (method: Method.Any): MethodTrait =>
  make(method.name, method.idempotent ? "read" : isSubmission(method.name) ? "submission" : "other", method)

const make = (name: string, kind: CallKind, method: Method.Any | undefined): MethodTrait => {
  const params = method?.params ?? []
  const blockAt = params.findIndex((param) => BLOCK_PARAMS.has(param.name))
  const block = params[blockAt]
  const gives = name.endsWith("_blockNumber") ? "number" : name.endsWith("_getBlockByNumber") ? "block" : undefined
  return {
    method: name,
    kind,
    hasNodesWords: method !== undefined && !isFree(method) && !RUNS_CODE.test(name),
    isKnown: method !== undefined,
    history: historyOf(name, block?.optional === true || params.some((param) => STATE_PARAMS.has(param.name))),
    blockAt,
    isFilter: block?.name === "filter",
    gives,
    isNullable: kind === "read" && NULLABLE.test(name)
  }
}

/** Returns the data behind a method, as execution-apis assigns methods to kinds of data. */
const historyOf = (name: string, isOfState: boolean): HistoryData => {
  if (name.endsWith("_getProof")) return "stateproofs"
  if (isOfState) return "state"
  if (name.endsWith("_getLogs")) return "logs"
  return /_get(?:Transaction|Block)Receipts?$/u.test(name)
    ? "receipts"
    : /_get(?:Raw)?TransactionBy/u.test(name)
      ? "tx"
      : "blocks"
}

const askingOf = (trait: MethodTrait): MethodFacts => {
  const at = (tag: HeadTag | undefined): RoutedCall => ({ trait, tag, oldest: undefined, newest: undefined })
  return {
    trait,
    plain: at(trait.gives === "number" ? "latest" : undefined),
    at: { latest: at("latest"), safe: at("safe"), finalized: at("finalized") }
  }
}

/** Names of the parameters that name a block, in Ethereum's and Starknet's methods. */
const BLOCK_PARAMS: ReadonlySet<string> = new Set(["block", "newestBlock", "filter", "block_id"])

/** Names of the parameters that only Starknet's methods on states have. */
const STATE_PARAMS: ReadonlySet<string> = new Set(["contract_address", "request"])

/** Methods that run contracts. A contract chooses the text of its error. */
const RUNS_CODE = /_(?:call|callMany|estimate[A-Za-z]*|createAccessList|simulate[A-Za-z0-9]*)$|^(?:trace|debug)_/u

/** Methods that answer with `null` for a block or transaction that the node does not have. */
const NULLABLE = /_(?:getBlock(?!Number)|getTransaction(?:By|Receipt)|getUncle|getHeader)/u

/** True if a parameter of the method is not checked, so callers choose its content. */
const isFree = ({ params }: Method.Any): boolean => params.some(({ schema }) => schema.ast._tag === "Unknown")

/**
 * True if a method submits a signed transaction: `eth_sendRawTransaction`, or Starknet's `add...Transaction` under any
 * prefix.
 */
export const isSubmission = (method: string): boolean =>
  method === "eth_sendRawTransaction" || /^[a-z]+_add(?:Invoke|Declare|DeployAccount)Transaction$/u.test(method)

/** Returns the block of a parameter: a tag of a moving head, or a number. Undefined for a hash or anything else. */
const blockOf = (named: unknown): HeadTag | number | undefined => {
  if (typeof named === "string") return TAGS[named] ?? quantity(named)
  if (named === undefined || named === null) return "latest"
  if (typeof named !== "object") return undefined
  if ("blockNumber" in named && typeof named.blockNumber === "string") {
    return TAGS[named.blockNumber] ?? quantity(named.blockNumber)
  }
  if ("block_number" in named && typeof named.block_number === "number") return named.block_number
  return undefined
}

/** A table without a prototype, because it is searched with callers' texts. */
const TAGS: Readonly<Record<string, HeadTag | number | undefined>> = Object.assign(Object.create(null), {
  latest: "latest",
  pending: "latest",
  pre_confirmed: "latest",
  safe: "safe",
  finalized: "finalized",
  earliest: 0
})

/** Returns the number of a block; undefined if the text is too long, as a hash is. */
const quantity = (text: string): number | undefined =>
  text.length <= 18 && text.startsWith("0x") ? Number(text) : undefined

const ofFilter = (plain: RoutedCall, filter: unknown): RoutedCall => {
  if (typeof filter !== "object" || filter === null || "blockHash" in filter) return plain
  const from = blockOf("fromBlock" in filter ? filter.fromBlock : undefined)
  const to = blockOf("toBlock" in filter ? filter.toBlock : undefined)
  const tag = typeof to === "string" ? to : typeof from === "string" ? from : undefined
  const oldest = typeof from === "number" ? from : undefined
  return { trait: plain.trait, tag, oldest, newest: typeof to === "number" ? to : oldest }
}
