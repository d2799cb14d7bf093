/**
 * Nodes of the second chain over HTTP, for each kind of version, and the service in front of a node.
 *
 * Their answers have the shapes of the specification's versions (starknet-specs, BLOCK_WITH_TXS, its predecessors and
 * its successors). Each node accepts the methods of its version, and refuses other methods as real nodes do.
 */
import * as Gateway from "@plumbline/gateway/Gateway"
import * as HttpUpstream from "@plumbline/gateway/networks/HttpUpstream"
import * as PendingUpstream from "@plumbline/gateway/networks/PendingUpstream"
import type { Upstream } from "@plumbline/gateway/networks/Upstream"
import * as Starknet from "@plumbline/second-chain-methods/methods/Starknet"
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"

import { textOf } from "./LyingNode.ts"
import * as Made from "./SecondChainTransactions.ts"
import * as Servers from "./Servers.ts"
import * as State from "./State.ts"

type Json = Made.Json

/** Answers a call: with a result, or `{ error }`. */
export type Answers = (method: string, params: ReadonlyArray<unknown>) => unknown

/**
 * The transactions in a node's pending block. If the node has no pending block, the text names its answer: an error, or
 * a whole block.
 */
export type Making = ReadonlyArray<Json> | "no block" | "a whole block"

/** The kinds of nodes. Each kind is named after one of its versions. */
export type Version = "0.4.0" | "0.7.1" | "0.9.0" | "0.10.0" | "0.10.2"

/** The pending transactions that honest nodes of each version show. */
export const honest: Readonly<Record<Version, ReadonlyArray<Json>>> = {
  "0.4.0": [
    Made.made["INVOKE v0"],
    Made.made["INVOKE v1"],
    Made.made["DECLARE v2"],
    Made.made["DEPLOY_ACCOUNT v1"],
    Made.made["L1_HANDLER v0"]
  ],
  "0.7.1": [Made.made["INVOKE v1"], Made.early, Made.made["L1_HANDLER v0"]],
  "0.9.0": [
    Made.made["INVOKE v3"],
    Made.made["DECLARE v3"],
    Made.made["DEPLOY_ACCOUNT v3"],
    Made.made["L1_HANDLER v0"]
  ],
  "0.10.0": [Made.made["DEPLOY_ACCOUNT v3"], Made.made["INVOKE v3"], Made.made["INVOKE v1"]],
  "0.10.2": [Made.made["INVOKE v3 with facts"], Made.made["INVOKE v3"], Made.made["DECLARE v3"]]
}

/** The versions. */
export const versions = Object.keys(honest) as ReadonlyArray<Version>

const METHOD_NOT_FOUND = { error: { code: -32_601, message: "Method not found" } }
const INVALID_PARAMS = { error: { code: -32_602, message: "Invalid params" } }
const BLOCK_NOT_FOUND = { error: { code: 24, message: "Block not found" } }

const price = { price_in_fri: "0x2d79883d2000", price_in_wei: "0x9184e72a000" }
const common = { timestamp: 1_763_700_000, sequencer_address: "0x5e9", starknet_version: "0.14.0" }

/** The block `pending` of versions up to 0.8. */
const pendingBlock = {
  ...common,
  parent_hash: "0xfa7e",
  l1_gas_price: price,
  l1_data_gas_price: price,
  l1_da_mode: "BLOB"
}
/** The block `pre_confirmed` of versions from 0.9 on. */
const preConfirmed = {
  ...common,
  block_number: 3_100_000,
  l1_gas_price: price,
  l2_gas_price: price,
  l1_data_gas_price: price,
  l1_da_mode: "BLOB"
}
const sealed = { status: "ACCEPTED_ON_L2", block_hash: "0xb10c", parent_hash: "0xfa7e", new_root: "0x4007" }

/** Returns the answers that a node of this version gives if it has these pending transactions. */
export const answers =
  (version: Version, making: Making): Answers =>
  (method, [tag, flags]) => {
    if (method === "starknet_chainId") return Made.CHAIN_ID
    if (version === "0.4.0") {
      return method !== "starknet_pendingTransactions" ? METHOD_NOT_FOUND : typeof making === "string" ? [] : making
    }
    if (method === "starknet_specVersion") return version
    if (method !== "starknet_getBlockWithTxs") return METHOD_NOT_FOUND
    const isOld = version === "0.7.1"
    const takesFlags = version === "0.10.2"
    if (tag !== (isOld ? "pending" : "pre_confirmed") || (flags !== undefined && !takesFlags)) return INVALID_PARAMS
    if (making === "no block") return BLOCK_NOT_FOUND
    const header = isOld ? pendingBlock : preConfirmed
    if (making === "a whole block") return { ...header, ...sealed, transactions: honest[version] }
    const hasFacts = Array.isArray(flags) && flags.includes("INCLUDE_PROOF_FACTS")
    return { ...header, transactions: hasFacts ? making : making.map(Made.withoutFacts) }
  }

/** Starts a node over HTTP. It accepts single calls, which the service and the client send. */
export const node = (answers: Answers) =>
  Servers.serve(async (request, response) => {
    const { id, method, params } = JSON.parse(await textOf(request))
    const answer = answers(method, params)
    const isError = typeof answer === "object" && answer !== null && "error" in answer
    response.writeHead(200, { "content-type": "application/json" })
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...(isError ? answer : { result: answer }) }))
  })

/** A service with one network, whose node is at a URL. */
export interface Service extends AsyncDisposable {
  /** The URL with the key, for clients. */
  readonly http: string
  readonly webSocket: string
}

/** Starts the real gateway in front of a node, at a URL or in this process, configured as by `up`. */
export const service = async (node: string | Upstream): Promise<Service> => {
  const scope = Scope.makeUnsafe()
  const started = Effect.gen(function* () {
    const upstream = PendingUpstream.make(typeof node === "string" ? yield* HttpUpstream.make({ url: node }) : node)
    const network = { name: "second", hosts: [], chainId: 1, methods: Starknet.group, upstream }
    const context = yield* Layer.build(Gateway.layer({ networks: [network] }).pipe(Layer.provideMerge(State.memory)))
    const { apiKey } = yield* Effect.provideContext(State.project(), context)
    return { ...Context.get(context, Gateway.Gateway), key: Redacted.value(apiKey) }
  })
  const { key, url, wsUrl } = await Effect.runPromise(Scope.provide(started, scope))
  return {
    http: `${url}/v3/${key}`,
    webSocket: `${wsUrl}/ws/v3/${key}`,
    [Symbol.asyncDispose]: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

/** Sends a body over HTTP, and returns the answer unchanged. */
export const overHttp = async (url: string, body: unknown): Promise<any> => {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body)
  })
  return response.json()
}

/** Sends a body as a WebSocket message, and returns the next message. */
export const overWebSocket = async (url: string, body: unknown): Promise<any> => {
  const socket = new WebSocket(url)
  const answer = await new Promise<unknown>((resolve, reject) => {
    socket.addEventListener("close", () => reject(new Error("the WebSocket closed")))
    socket.addEventListener("open", () => socket.send(JSON.stringify(body)))
    socket.addEventListener("message", ({ data }) => resolve(JSON.parse(String(data))))
  })
  socket.close()
  return answer
}

/** The call that reads the pending transactions. */
export const call = (id: unknown = 1) => ({ jsonrpc: "2.0", id, method: "starknet_pendingTransactions", params: [] })
