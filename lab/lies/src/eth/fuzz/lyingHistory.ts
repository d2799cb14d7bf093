/** A node over the history chain that can lie, for clients that ask several questions. */
import { Hash32 } from "@plumbline/codec"
import { HistoryChain } from "@plumbline/devnet"
import type { TrustedBlock } from "@plumbline/eth-methods"
import { EthReason, EthClient, VerdictEthClient } from "@plumbline/eth-methods"
import { JsonRpcError, RemoteError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Transport from "@plumbline/jsonrpc-core/transport/Transport"
import { Effect } from "effect"

import type * as Json from "../../json.ts"
import * as Truth from "./historyAnswers.ts"

/** Answers instead of the node. If it returns `undefined`, the node answers. */
export type Lie = (method: string, params: ReadonlyArray<unknown>) => Json.Json | undefined

export interface Node {
  /** Returns the honest answer, which is remembered. */
  readonly ask: Truth.Ask
  /**
   * Returns a client of a node that tells this lie, with trust in the chain's head or without trust. Clients share no
   * memory.
   */
  readonly client: (lie: Lie, isTrusting: boolean) => Promise<VerdictEthClient.Client>
  /** Returns the questions that the node received since the last client was made. */
  readonly asked: () => ReadonlyArray<{ readonly method: string; readonly params: ReadonlyArray<unknown> }>
}

const pinned: TrustedBlock.TrustedBlock["Service"] = {
  resolve: () =>
    Effect.succeed({ _tag: "OnChain", hash: Hash32.fromHexUnsafe(HistoryChain.head.hash), by: "a pinned hash" })
}

const nothing: TrustedBlock.TrustedBlock["Service"] = {
  resolve: () => Effect.succeed({ _tag: "Nothing", reason: EthReason.NoTrust({}) })
}

export const idOf = (method: string, params: ReadonlyArray<unknown>): string => `${method} ${JSON.stringify(params)}`

export const make = async (): Promise<Node> => {
  const honest = await Truth.ask()
  const known = new Map<string, Promise<Json.Json>>()
  const ask: Truth.Ask = (method, params) => {
    const id = idOf(method, params)
    const found = known.get(id) ?? honest(method, params)
    known.set(id, found)
    return found
  }
  let asked: Array<{ readonly method: string; readonly params: ReadonlyArray<unknown> }> = []
  return {
    ask,
    asked: () => asked,
    client: async (lie, isTrusting) => {
      asked = []
      const call = ({ method, params }: Transport.WireCall): Effect.Effect<unknown, JsonRpcError> =>
        Effect.tryPromise({
          try: async () => {
            asked.push({ method, params })
            const said = lie(method, params)
            return said === undefined ? await ask(method, params) : said
          },
          // the node refuses unknown questions, as geth does
          catch: () => new JsonRpcError({ method, reason: new RemoteError({ code: -32_000, message: "not found" }) })
        })
      const transport: Transport.Transport["Service"] = { call, callAll: Transport.oneByOne(call) }
      const eth = await Effect.runPromise(Effect.provideService(EthClient.make, Transport.Transport, transport))
      return VerdictEthClient.make(eth, isTrusting ? pinned : nothing)
    }
  }
}
