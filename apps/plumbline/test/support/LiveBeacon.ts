/** A chain that mines on request, its beacon chain with slots of a second, and a node of each, for one test. */
import { writeFileSync } from "node:fs"
import * as path from "node:path"

import { Network } from "@plumbline/beacon-light-client"
import { Anvil, BeaconChain, PreparedState } from "@plumbline/devnet"
import { HttpTransport } from "@plumbline/jsonrpc-core"
import { Effect, Exit, Layer, Schema, Scope } from "effect"

import * as Children from "./Children.ts"
import * as LyingNode from "./LyingNode.ts"
import * as Mortal from "./Mortal.ts"

const [from, to] = PreparedState.accounts.map(({ address }) => address)
const { address: token } = PreparedState.contracts.token

/** An HTTP response that fails. */
export interface Fault {
  readonly status: number
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Starts the chain. The node in front of anvil can die, hang and lie. */
export const start = async () => {
  const scope = Scope.makeUnsafe()
  const { url } = await Effect.runPromise(Scope.provide(Anvil.make(), scope))
  const transport = await Effect.runPromise(Scope.provide(Layer.build(HttpTransport.layer({ url })), scope))
  const made = Effect.provideContext(BeaconChain.make({ name: "live" }), transport)
  const chain = await Effect.runPromise(Scope.provide(made, scope))
  const beacon = await Mortal.serve(chain.handle)
  const folder = await Children.folder()
  const networkFile = path.join(folder.path, "network.json")
  writeFileSync(networkFile, JSON.stringify(Schema.encodeSync(Network.Network)(chain.network)))
  const checkpoint = await Effect.runPromise(chain.checkpoint)

  const ask = async (method: string, params: ReadonlyArray<unknown> = []): Promise<any> => {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
    })
    const { error, result } = (await response.json()) as { readonly error?: unknown; readonly result: unknown }
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`)
    return result
  }
  const lies = new Map<string, (result: any, params: ReadonlyArray<any>) => unknown>()
  /** `of` answers in place of the node. It gets the packet and returns a status, a body and headers. */
  const fault: { of?: ((packet: any) => Fault) | undefined } = {}
  const node = await Mortal.serve(async (request, response) => {
    const packet: any = JSON.parse(await LyingNode.textOf(request))
    if (fault.of !== undefined) {
      const { body, headers = {}, status } = fault.of(packet)
      return void response.writeHead(status, headers).end(body)
    }
    const one = async ({ id, method, params }: any) => {
      try {
        const truth = await ask(method, params)
        return { jsonrpc: "2.0", id, result: lies.get(method)?.(truth, params) ?? truth }
      } catch (error) {
        return { jsonrpc: "2.0", id, error: { code: -32_000, message: String(error) } }
      }
    }
    const answers = await (Array.isArray(packet) ? Promise.all(packet.map(one)) : one(packet))
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answers))
  })
  /** Mines a block with a transfer of so many units. */
  const transfer = async (units: number): Promise<any> => {
    const data = `0xa9059cbb${to!.slice(2).toLowerCase().padStart(64, "0")}${units.toString(16).padStart(64, "0")}`
    const hash = await ask("eth_sendTransaction", [{ from, to: token, data }])
    // anvil returns the hash before it has mined the block
    for (;;) {
      const receipt = await ask("eth_getTransactionReceipt", [hash])
      if (receipt !== null) return receipt
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  return {
    ask,
    beacon,
    /** A node that tells the truth always. */
    honest: url,
    node,
    lies,
    fault,
    token,
    transfer,
    folder: folder.path,
    /** The flags of a light client of this chain, and of its node. */
    flags: Object.entries({
      url: node.url,
      beacon: beacon.url,
      "beacon-network": networkFile,
      checkpoint,
      data: path.join(folder.path, "data")
    }).flatMap(([name, value]) => [`--${name}`, value]),
    /** Returns all logs of the token from a block on, by anvil's own word. */
    logs: (fromBlock: string): Promise<ReadonlyArray<any>> =>
      ask("eth_getLogs", [{ address: token, fromBlock, toBlock: "latest" }]),
    [Symbol.asyncDispose]: async () => {
      await node[Symbol.asyncDispose]()
      await beacon[Symbol.asyncDispose]()
      await Effect.runPromise(Scope.close(scope, Exit.void))
      await folder[Symbol.asyncDispose]()
    }
  }
}
