/** A live chain that makes and replaces blocks on request, and gives its head and its block hashes. */
import { Anvil } from "@plumbline/devnet"
import { JsonRpcError, Transport } from "@plumbline/jsonrpc-core"
import { Effect } from "effect"

import { call, http, JSON_TYPE } from "../ask.ts"

/** Asks a node at a URL. */
export const ask = async (url: string, method: string, params: ReadonlyArray<unknown> = []): Promise<any> => {
  const { text } = await http(url, { headers: JSON_TYPE, body: call(method, params) })
  const { error, result } = JSON.parse(text)
  if (error !== undefined) throw Object.assign(new Error(`${method}: ${error.message}`), { code: error.code })
  return result
}

export interface Chain {
  readonly url: string
  readonly mine: () => Promise<void>
  /** Replaces the `depth` newest blocks by others. */
  readonly reorganise: (depth: number) => Promise<void>
  readonly head: () => Promise<number>
  readonly hashAt: (number: number) => Promise<string | undefined>
}

/** Starts a chain. It ends with the scope. */
export const start = Effect.map(Anvil.make(), ({ url }): Chain => {
  const tried = async (method: string, params: ReadonlyArray<unknown>) => void (await ask(url, method, params))
  return {
    url,
    mine: () => tried("evm_mine", []),
    reorganise: (depth) => tried("anvil_reorg", [depth, []]),
    head: async () => Number(await ask(url, "eth_blockNumber")),
    hashAt: async (number) => (await ask(url, "eth_getBlockByNumber", [`0x${number.toString(16)}`, false]))?.hash
  }
})

/** Returns the chain as a transport, for a node that misbehaves in front of it. */
export const transport = (url: string): Transport.Transport["Service"] => {
  const one: Transport.Transport["Service"]["call"] = ({ method, params }) =>
    Effect.tryPromise({
      try: () => ask(url, method, params),
      catch: (error) =>
        new JsonRpcError.JsonRpcError({
          method,
          reason: new JsonRpcError.RemoteError({
            code: (error as { readonly code?: number }).code ?? -32_603,
            message: error instanceof Error ? error.message : "no answer"
          })
        })
    })
  return { call: one, callAll: Transport.oneByOne(one) }
}
