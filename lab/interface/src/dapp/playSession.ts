/** Plays a session through a proxy, and compares each answer with the node's own. */
import * as viem from "viem"

import { type Answered, asking } from "./asking.ts"
import type { SessionRequest } from "./swapSession.ts"
import { settled } from "./tokenExchange.ts"

/**
 * Methods whose answers no block proves, so a proxy passes them on, marked: advice about fees, and the chain's number, which
 * is the proxy's own configuration.
 */
const unprovable: ReadonlySet<string> = new Set([
  "eth_chainId",
  "net_version",
  "eth_gasPrice",
  "eth_maxPriorityFeePerGas",
  "eth_feeHistory"
])

/** The code of a call that reverted. */
const REVERTED = 3

/** A request that was played. */
export interface Played extends SessionRequest {
  /** `read`: a fact of the chain. `other`: fees, the chain's number, and what is pending. `send`: a transaction. */
  readonly kind: "read" | "other" | "send"
  /** The proxy's verdict, or the code of an error without one. That of a revert says so. */
  readonly verdict: string
  /** The difference from the node's own answer; undefined if there is none. */
  readonly difference: string | undefined
}

/** Plays the requests in order. After a transaction was sent, it waits until the proxy has its block. */
export const play = async (
  requests: ReadonlyArray<SessionRequest>,
  proxy: string,
  node: string
): Promise<ReadonlyArray<Played>> => {
  const [ask, askNode] = [asking(proxy), asking(node)]
  const played: Array<Played> = []
  for (const request of requests) {
    const { method, params } = request
    const answered = await ask(method, params)
    if (method === "eth_sendRawTransaction") await reached(proxy, node, viem.keccak256(params[0] as viem.Hex))
    const isOther = unprovable.has(method) || params.includes("pending")
    const kind = method === "eth_sendRawTransaction" ? "send" : isOther ? "other" : "read"
    const difference = kind === "read" ? await differenceOf(request, answered, askNode) : undefined
    const { code } = answered.error ?? {}
    const word = answered.verdict ?? String(code)
    const verdict = code === REVERTED ? `${word} revert` : word
    played.push({ ...request, kind, verdict, difference })
  }
  return played
}

/** Waits until a proxy has the block of a transaction. */
export const reached = async (proxy: string, node: string, hash: viem.Hex): Promise<void> => {
  const { blockNumber } = await settled(node, hash)
  while (BigInt((await asking(proxy)("eth_blockNumber", [])).result) < BigInt(blockNumber)) {
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Returns how an answer differs from what the node says of the same block. */
const differenceOf = async (
  { method, params }: SessionRequest,
  answered: Answered,
  askNode: ReturnType<typeof asking>
): Promise<string | undefined> => {
  // a block is compared with the node's block of that hash, because the proxy may be a block behind the node
  const byHash = method === "eth_getBlockByNumber" && answered.result != null
  const theirs = byHash
    ? await askNode("eth_getBlockByHash", [answered.result.hash, false])
    : await askNode(method, params)
  if (method === "eth_blockNumber") {
    return BigInt(answered.result) <= BigInt(theirs.result) ? undefined : "a block that the node does not have"
  }
  if (method === "eth_estimateGas") {
    // nodes round estimates up in different ways: the call must succeed with the gas, as the node itself runs it
    if (answered.error !== undefined) return answered.error.message
    const run = await askNode("eth_call", [{ ...(params[0] as object), gas: answered.result }, "latest"])
    return run.error === undefined ? undefined : `with this gas the node says: ${run.error.message}`
  }
  const [ours, expected] = [endOf(answered), endOf(theirs)]
  return isSame(ours, expected) ? undefined : `${JSON.stringify(ours)}, and the node says ${JSON.stringify(expected)}`
}

/** The value of an answer, or the bytes with which a call reverted. */
const endOf = ({ error, result }: Answered): unknown =>
  error === undefined ? result : { reverted: error.data ?? "0x" }

/** True if two answers say the same. Some nodes write quantities as numbers. */
const isSame = (a: unknown, b: unknown): boolean => {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => isSame(item, b[i]))
  if (typeof a === "object" && typeof b === "object" && a !== null && b !== null) {
    const [ours, theirs] = [a as Record<string, unknown>, b as Record<string, unknown>]
    return Object.keys({ ...ours, ...theirs }).every((name) => isSame(ours[name], theirs[name]))
  }
  return textOf(a) === textOf(b)
}

const textOf = (value: unknown): string => (typeof value === "number" ? viem.toHex(value) : String(value).toLowerCase())
