/** Reads from a call and its method's entry in the network's table what the choice of a node depends on. */
import type * as Method from "@plumbline/jsonrpc-core/method/Method"
import type * as MethodGroup from "@plumbline/jsonrpc-core/method/MethodGroup"

/** The kind of a call for failover: reads and submissions may be sent again, others only if nothing was done. */
export type Kind = "read" | "submission" | "other"

/** The heads of a chain that move, by their tags. `pending` counts as `latest`. */
export type HeadTag = "latest" | "safe" | "finalized"

/** The facts about a method that hold for each of its calls. */
export interface Trait {
  readonly method: string
  readonly kind: Kind
  /**
   * True if a node's error text cannot hold text of a caller: the parameters are checked, and no contract runs. Only
   * then is such a text taken for a fact about the node that outlives the call.
   */
  readonly hasNodesWords: boolean
  /** True if the method is in the network's table, whose length bounds what is remembered by method. */
  readonly isKnown: boolean
  /** The part of a node's history that the answer comes from: nodes drop states long before blocks. */
  readonly history: "state" | "chain"
  /** Position of the parameter that names the block, or -1. */
  readonly blockAt: number
  /** True if the parameter is a filter of logs, with a range of blocks. */
  readonly isFilter: boolean
  /** The head that the answer names: the number alone, or a block. */
  readonly gives: "number" | "block" | undefined
  /** True if `null` may mean that the node does not have the block yet. */
  readonly isNullable: boolean
}

/** A method, with its questions that name no block number. These are made once. */
export interface Asking {
  readonly trait: Trait
  readonly plain: Question
  readonly at: Readonly<Record<HeadTag, Question>>
}

/** One call. */
export interface Question {
  readonly trait: Trait
  /** The moving head that it is about. */
  readonly tag: HeadTag | undefined
  /** The lowest and the highest block that it names by number. */
  readonly oldest: number | undefined
  readonly newest: number | undefined
}

/** Returns the methods of a network's table by name. */
export const table = (methods: MethodGroup.Any): ReadonlyMap<string, Asking> =>
  new Map(Object.values(methods.methods).map((method) => [method.name, askingOf(traitOf(method))]))

/** Returns a method that need not be in the network's table. */
export const foreign = (method: string, kind: Kind, hasNodesWords = false): Asking =>
  askingOf({ ...make(method, kind, undefined), hasNodesWords })

/** Returns the question of a call. */
export const of = ({ at, plain, trait }: Asking, params: ReadonlyArray<unknown>): Question => {
  if (trait.blockAt === -1) return plain
  const named = params[trait.blockAt]
  if (trait.isFilter) return ofFilter(plain, named)
  const block = blockOf(named)
  if (typeof block === "string") return at[block]
  return block === undefined ? plain : { trait, tag: undefined, oldest: block, newest: block }
}

const traitOf = (method: Method.Any): Trait =>
  make(method.name, method.idempotent ? "read" : isSubmission(method.name) ? "submission" : "other", method)

const make = (name: string, kind: Kind, method: Method.Any | undefined): Trait => {
  const params = method?.params ?? []
  const blockAt = params.findIndex((param) => BLOCK_PARAMS.has(param.name))
  const block = params[blockAt]
  const gives = name.endsWith("_blockNumber") ? "number" : name.endsWith("_getBlockByNumber") ? "block" : undefined
  return {
    method: name,
    kind,
    hasNodesWords: method !== undefined && !isFree(method) && !RUNS_CODE.test(name),
    isKnown: method !== undefined,
    history: block?.optional === true || params.some((param) => STATE_PARAMS.has(param.name)) ? "state" : "chain",
    blockAt,
    isFilter: block?.name === "filter",
    gives,
    isNullable: kind === "read" && NULLABLE.test(name)
  }
}

const askingOf = (trait: Trait): Asking => {
  const at = (tag: HeadTag | undefined): Question => ({ trait, tag, oldest: undefined, newest: undefined })
  return {
    trait,
    plain: at(trait.gives === "number" ? "latest" : undefined),
    at: { latest: at("latest"), safe: at("safe"), finalized: at("finalized") }
  }
}

/** Names of parameters that name a block: of Ethereum's methods, and of Starknet's. */
const BLOCK_PARAMS: ReadonlySet<string> = new Set(["block", "newestBlock", "filter", "block_id"])

/** Names of parameters of Starknet's methods that read a state. */
const STATE_PARAMS: ReadonlySet<string> = new Set(["contract_address", "request"])

/** Methods that run contracts, which choose the text of an error. */
const RUNS_CODE = /_(?:call|callMany|estimate[A-Za-z]*|createAccessList|simulate[A-Za-z0-9]*)$|^(?:trace|debug)_/u

/** Methods that answer with `null` for a block or transaction that the node does not have. */
const NULLABLE = /_(?:getBlock(?!Number)|getTransaction(?:By|Receipt)|getUncle|getHeader)/u

/** True if callers choose the parameters freely. */
const isFree = ({ params }: Method.Any): boolean => params.some(({ schema }) => schema.ast._tag === "Unknown")

/**
 * True if a method submits a signed transaction: `eth_sendRawTransaction`, and Starknet's `add...Transaction` under any
 * prefix.
 */
export const isSubmission = (method: string): boolean =>
  method === "eth_sendRawTransaction" || /^[a-z]+_add(?:Invoke|Declare|DeployAccount)Transaction$/u.test(method)

/** Returns the block of a parameter: a tag of a moving head, or a number. Undefined for a hash or anything else. */
const blockOf = (named: unknown): HeadTag | number | undefined => {
  if (typeof named === "string") return TAGS[named] ?? quantity(named)
  if (named === undefined || named === null) return "latest"
  if (typeof named !== "object") return undefined
  if ("blockNumber" in named && typeof named.blockNumber === "string") return quantity(named.blockNumber)
  if ("block_number" in named && typeof named.block_number === "number") return named.block_number
  return undefined
}

/** A table without a prototype, because callers' texts are looked up in it. */
const TAGS: Readonly<Record<string, HeadTag | number | undefined>> = Object.assign(Object.create(null), {
  latest: "latest",
  pending: "latest",
  pre_confirmed: "latest",
  safe: "safe",
  finalized: "finalized",
  earliest: 0
})

/** Returns the number of a block; a hash is longer. */
const quantity = (text: string): number | undefined =>
  text.length <= 18 && text.startsWith("0x") ? Number(text) : undefined

const ofFilter = (plain: Question, filter: unknown): Question => {
  if (typeof filter !== "object" || filter === null || "blockHash" in filter) return plain
  const from = blockOf("fromBlock" in filter ? filter.fromBlock : undefined)
  const to = blockOf("toBlock" in filter ? filter.toBlock : undefined)
  const tag = typeof to === "string" ? to : typeof from === "string" ? from : undefined
  const oldest = typeof from === "number" ? from : undefined
  return { trait: plain.trait, tag, oldest, newest: typeof to === "number" ? to : oldest }
}
