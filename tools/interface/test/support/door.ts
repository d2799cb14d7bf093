/** Two ways to the node of the history chain, as EIP-1193 providers: plain, and through the door. The node may lie. */
import { Hash32, Hex, Keccak256 } from "@plumbline/codec"
import { History, HistoryChain } from "@plumbline/devnet"
import { TrustedBlock } from "@plumbline/eth-methods"
import { JsonRpcError, Transport } from "@plumbline/jsonrpc-core"
import { Eip1193Provider, ProvingNode } from "@plumbline/provider"
import { Effect, Layer } from "effect"

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

/** Answers of the methods that the node of a finished chain refuses: it runs no code and takes no transactions. */
const others: Readonly<Record<string, (params: ReadonlyArray<any>) => unknown>> = {
  eth_call: () => `0x${"00".repeat(31)}01`,
  eth_sendRawTransaction: ([raw]) => Keccak256.hashHex(Hex.toBytesUnsafe(raw))
}

/** The history chain's node. Methods and results are those of the wire. */
const call: Transport.Transport["Service"]["call"] = ({ method, params }) =>
  others[method] === undefined ? ofHistory(method, params) : Effect.succeed(others[method](params))

const ofHistory = (method: string, params: ReadonlyArray<unknown>): Effect.Effect<unknown, JsonRpcError.JsonRpcError> =>
  history.call(method, params).pipe(
    Effect.map((text) => JSON.parse(decoder.decode(text))),
    Effect.mapError(
      ({ code, data, message }: any) =>
        new JsonRpcError.JsonRpcError({
          method,
          reason: new JsonRpcError.RemoteError({ code, message, ...(data === undefined ? {} : { data }) })
        })
    )
  )

const node: Transport.Transport["Service"] = { call, callAll: Transport.oneByOne(call) }

/** The hash of the last block, which the reader of these tests knows. */
const trusted: Hash32.Hash32 = Hash32.fromHexUnsafe(HistoryChain.head.hash)

/** The ways to a node that tells the truth, or what the middleware makes of it. */
export const ways = (liar: Transport.Middleware = (truth) => truth, options?: ProvingNode.Options): Ways => {
  const transport = liar(node)
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
    Layer.provide([Layer.succeed(Transport.Transport, transport), TrustedBlock.layerPinned(trusted)])
  )
  return { plain, door: Eip1193Provider.fromLayer(layer) }
}
