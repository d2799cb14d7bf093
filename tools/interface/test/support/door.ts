/** Two ways to the node of the history chain, as EIP-1193 providers: plain, and through the door. The node may lie. */
import { Hash32, type Hex } from "@plumbline/codec"
import { History, HistoryChain } from "@plumbline/devnet"
import { TrustedBlock } from "@plumbline/eth-methods"
import { JsonRpcError, Transport } from "@plumbline/jsonrpc-core"
import { Eip1193Provider, ProvingNode } from "@plumbline/provider"
import { Effect, Layer } from "effect"

/** Returns what the node says instead of a result. */
export type Lie = (method: string, result: any, params: ReadonlyArray<any>) => unknown

/** The part of a provider that clients of the field ask for. */
export interface Provider {
  readonly request: (request: { readonly method: string; readonly params?: any }) => Promise<any>
  readonly on: (event: string, listener: (...payload: ReadonlyArray<any>) => void) => any
  readonly removeListener: (event: string, listener: (...payload: ReadonlyArray<any>) => void) => any
}

export interface Ways {
  readonly plain: Provider
  readonly door: Eip1193Provider.Eip1193Provider
}

const decoder = new TextDecoder()

const history = await Effect.runPromise(History.make)

/** The history chain's node as a transport, which tells the lie. Methods and results are those of the wire. */
export const node = (lie: Lie = (_, result) => result): Transport.Transport["Service"] => {
  const call: Transport.Transport["Service"]["call"] = ({ method, params }) =>
    history.call(method, params).pipe(
      Effect.map((text) => lie(method, JSON.parse(decoder.decode(text)), params)),
      Effect.mapError(
        ({ code, data, message }: any) =>
          new JsonRpcError.JsonRpcError({
            method,
            reason: new JsonRpcError.RemoteError({ code, message, ...(data === undefined ? {} : { data }) })
          })
      )
    )
  return { call, callAll: Transport.oneByOne(call) }
}

/** The hash of the last block, which the reader of these tests knows. */
export const trusted: Hash32.Hash32 = Hash32.fromHexUnsafe(HistoryChain.head.hash)

export const ways = (lie?: Lie, options?: ProvingNode.Options, trust: Hex.Hex | undefined = trusted): Ways => {
  const transport = node(lie)
  const plain: Provider = {
    request: async ({ method, params = [] }) => {
      const outcome = await Effect.runPromise(Effect.result(transport.call({ method, params })))
      if (outcome._tag === "Success") return outcome.success
      const { reason } = outcome.failure
      throw Object.assign(new Error(reason.message), reason._tag === "RemoteError" ? { code: reason.code } : {})
    },
    on: () => undefined,
    removeListener: () => undefined
  }
  const layer = ProvingNode.layer(options).pipe(
    Layer.provide([
      Layer.succeed(Transport.Transport, transport),
      trust === undefined ? TrustedBlock.layerNone : TrustedBlock.layerPinned(Hash32.fromHexUnsafe(trust))
    ])
  )
  return { plain, door: Eip1193Provider.fromLayer(layer) }
}
