/** The ways to read three nodes of which two lie: with proofs, by a vote, and by the word of the first. */
import { EthClient, EthMethods, ProvenEthClient, ProvenNodes } from "@plumbline/eth-methods"
import { Integrity, type Upstream, UpstreamError, UpstreamPool } from "@plumbline/gateway"
import { Batching, type ErrorObject, JsonRpcError, Stack, Transport } from "@plumbline/jsonrpc-core"
import type { Question } from "@plumbline/lies/src/eth/liars/questions.ts"
import { ProviderRefusal } from "@plumbline/provider"
import { FastRecovery } from "@plumbline/secp256k1"
import { Effect, Result, type Scope } from "effect"

import type { Scene } from "./scene.ts"

/** The outcome of one read. */
export type Outcome =
  /** An answer that the reader takes for true, except for the claimed paths. */
  | {
      readonly _tag: "Accepted"
      readonly value: unknown
      readonly claimed: ReadonlyArray<string>
      /** The kind of the anchor of a verdict. */
      readonly anchor?: string | undefined
    }
  /** A lie that a check found, and no other node's answer. */
  | { readonly _tag: "Refuted"; readonly why: string }
  /** An answer without proof, which the reader does not take for true. */
  | { readonly _tag: "Unproven"; readonly why: string }
  /** No answer: the honest node gave none in time, or too few nodes agreed. */
  | { readonly _tag: "Failed"; readonly why: string }

/** A way to read. */
export interface Way {
  readonly name: string
  readonly isProven: boolean
  readonly ask: (question: Question) => Effect.Effect<Outcome>
  /** The lies that the way found, by check. */
  readonly lies: () => ReadonlyMap<string, number>
  /** The number of calls that the three nodes got for its reads, and of the requests that carried them. */
  readonly cost: () => Cost
}

export interface Cost {
  readonly calls: number
  readonly requests: number
}

/** The transports to the three nodes. The liars come first, because that is the worst order for the reader. */
export type Nodes = readonly [
  liar: Transport.Transport["Service"],
  second: Transport.Transport["Service"],
  honest: Transport.Transport["Service"]
]

const NAMES = ["liar", "second liar", "honest"] as const

/** Calls by which a pool watches its nodes. They are no part of a read. */
const WATCHING = new Set(["eth_chainId", "eth_blockNumber"])

/** Gathers the calls to each node in packets, as the clients and the gateway do over HTTP, and counts both. */
const counting = (nodes: Nodes) => {
  let calls = 0
  let requests = 0
  const count = (asked: ReadonlyArray<Transport.WireCall>): void => {
    const reads = asked.filter(({ method }) => !WATCHING.has(method)).length
    calls += reads
    if (reads > 0) requests++
  }
  const counted = (node: Nodes[number]): Nodes[number] =>
    Batching.make()({
      call: (asked) => Effect.suspend(() => (count([asked]), node.call(asked))),
      callAll: (asked) => Effect.suspend(() => (count(asked), node.callAll(asked)))
    })
  const [liar, second, honest] = nodes
  const all: Nodes = [counted(liar), counted(second), counted(honest)]
  return { nodes: all, cost: (): Cost => ({ calls, requests }) }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

const upstreamOf = ({ call }: Transport.Transport["Service"]): Upstream.Upstream => ({
  call: (method, params) =>
    Effect.mapBoth(call({ method, params }), {
      onSuccess: (result) => encoder.encode(JSON.stringify(result)),
      onFailure: ({ reason }) =>
        reason instanceof JsonRpcError.RemoteError
          ? { code: reason.code, message: reason.message }
          : new UpstreamError.UpstreamError({ reason: { _tag: "BadStatus", status: 503 } })
    })
})

const ask = (upstream: Upstream.Upstream, { method, params }: Question) =>
  Effect.result(upstream.call(method, params("latest")))

const recovery = await Effect.runPromise(FastRecovery.make)

/** The gateway's pool with `integrity: prove`, on the path that a call takes behind the HTTP listener. */
export const gateway = Effect.fnUntraced(function* (
  { chainId, trustOf }: Scene,
  nodes: Nodes
): Effect.fn.Return<Way, unknown, Scope.Scope> {
  const counted = counting(nodes)
  const found = new Map<string, number>()
  const members = counted.nodes.map((node, at) => ({ name: NAMES[at]!, upstream: upstreamOf(node) }))
  const trust = trustOf(counted.nodes)
  const integrity = yield* Integrity.make(members, { network: "replay", mode: "prove", chainId, trust, recovery })
  const pool = yield* UpstreamPool.make(
    members.map(({ name }, at) => ({ name, upstream: integrity.members[at]! })),
    { methods: EthMethods.group }
  )
  const upstream = integrity.around(pool)
  return {
    name: "gateway, integrity: prove",
    isProven: true,
    ask: (question) =>
      Effect.map(ask(upstream, question), (answer): Outcome => {
        if (Result.isFailure(answer)) return refusalOf(answer.failure)
        const { verdict } = answer.success
        return verdict?.word === "VERIFIED"
          ? {
              _tag: "Accepted",
              value: JSON.parse(decoder.decode(answer.success)),
              claimed: verdict.claimed.map(({ field }) => field),
              anchor: verdict.anchor?._tag
            }
          : { _tag: "Unproven", why: "claimed" }
      }),
    lies: () => {
      found.clear()
      for (const { check, count } of integrity.lies()) found.set(check, (found.get(check) ?? 0) + count)
      return found
    },
    cost: counted.cost
  }
})

const refusalOf = (failure: ErrorObject.ErrorObject | UpstreamError.UpstreamError): Outcome => {
  if (failure instanceof UpstreamError.UpstreamError) {
    const { message: why, reason } = failure
    return { _tag: reason._tag === "Refuted" || reason._tag === "Unproven" ? reason._tag : "Failed", why }
  }
  const { code, message: why } = failure
  const isUnproven = code === ProviderRefusal.UNPROVEN || code === ProviderRefusal.UNAVAILABLE
  return { _tag: isUnproven ? "Unproven" : "Failed", why }
}

const clientOf = (node: Transport.Transport["Service"]): Effect.Effect<EthClient.Client> =>
  Effect.provideService(EthClient.make, Transport.Transport, node)

/** The library: a client that proves over each node, with the parts of a `Stack` around the node. */
export const library = Effect.fnUntraced(function* ({ chainId, trustOf }: Scene, nodes: Nodes): Effect.fn.Return<Way> {
  const counted = counting(nodes)
  const found = new Map<string, number>()
  const clients = yield* Effect.forEach(counted.nodes, (node, at) =>
    Effect.map(
      clientOf(Stack.make([{ name: NAMES[at]!, transport: node, timeout: "10 seconds", batching: false }])),
      (eth) => ({
        name: NAMES[at]!,
        eth: ProvenEthClient.make(eth, trustOf([node]), { chainId, recovery })
      })
    )
  )
  const { read } = ProvenNodes.make(clients, {
    onLie: (_, { check }) => Effect.sync(() => found.set(check, (found.get(check) ?? 0) + 1))
  })
  return {
    name: "library, ProvenNodes",
    isProven: true,
    ask: (question) =>
      Effect.match(
        read((eth) => question.ask(eth)),
        {
          onSuccess: (value): Outcome => ({ _tag: "Accepted", value, claimed: [] }),
          onFailure: ({ _tag, message: why }): Outcome => ({ _tag: TAGS[_tag], why })
        }
      ),
    lies: () => found,
    cost: counted.cost
  }
})

const TAGS = { RefutedError: "Refuted", UnprovenError: "Unproven", JsonRpcError: "Failed" } as const

/** The outcome of an answer that a reader without proofs takes for true. */
const believed = (value: unknown): Outcome => ({ _tag: "Accepted", value, claimed: [] })

const NONE: ReadonlyMap<string, number> = new Map()

/** The gateway's pool without proofs. */
const unproven = (name: string, options: UpstreamPool.PoolOptions) =>
  Effect.fnUntraced(function* (_: Scene, nodes: Nodes): Effect.fn.Return<Way, unknown, Scope.Scope> {
    const counted = counting(nodes)
    const upstream = yield* UpstreamPool.make(
      counted.nodes.map((node, at) => ({ name: NAMES[at]!, upstream: upstreamOf(node) })),
      options
    )
    return {
      name,
      isProven: false,
      ask: (question) =>
        Effect.map(ask(upstream, question), (answer) =>
          Result.isSuccess(answer) ? believed(JSON.parse(decoder.decode(answer.success))) : refusalOf(answer.failure)
        ),
      lies: () => NONE,
      cost: counted.cost
    }
  })

/** Two of three nodes must give the same answer. */
export const vote = unproven("gateway, vote of 2 of 3", {
  methods: EthMethods.group,
  quorum: {
    methods: Object.keys(EthMethods.group.methods).filter((name) => name.startsWith("eth_get")),
    agree: 2,
    of: 3
  }
})

/** The first node that answers is believed. */
export const first = unproven("gateway, first answer", { methods: EthMethods.group })
