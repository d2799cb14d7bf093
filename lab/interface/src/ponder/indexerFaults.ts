/** The faults of nodes that an indexer meets, as middleware of a transport. */
import { JsonRpcError, type Transport } from "@plumbline/jsonrpc-core"
import * as Random from "@plumbline/seeded/Random"
import { Catalogue, Tamper } from "@plumbline/tamper"
import { Effect } from "effect"

/** The kinds of nodes. */
export type NodeKind = "honest" | "drops" | "limits" | "fails"

/** A node's fault, and the number of its answers that had it. */
export interface Fault {
  readonly through: Transport.Middleware
  readonly told: () => number
}

/** Maximum number of blocks of a range, for a node that limits them: that of free plans of providers. */
const MAX_RANGE = 10n

/** The part of the calls that fail, for a node that fails at random. */
const FAILING = 0.1

/** Returns the fault of a kind of node. */
export const faultOf = (kind: NodeKind): Fault => {
  let told = 0
  const failing = (failure: (call: Transport.WireCall) => JsonRpcError.RemoteError | undefined): Fault => ({
    told: () => told,
    through: (truth) => {
      const call: Transport.Transport["Service"]["call"] = (asked) =>
        Effect.suspend(() => {
          const reason = failure(asked)
          if (reason === undefined) return truth.call(asked)
          told++
          return Effect.fail(new JsonRpcError.JsonRpcError({ method: asked.method, reason }))
        })
      return { call, callAll: (calls) => Effect.forEach(calls, (each) => Effect.result(call(each))) }
    }
  })
  switch (kind) {
    case "honest":
      return { told: () => 0, through: (truth) => truth }
    case "drops":
      return {
        told: () => told,
        through: Tamper.make(Catalogue.byName("log-drop")!, { onTold: () => told++ })
      }
    case "limits":
      return failing(({ method, params }) => (method === "eth_getLogs" ? tooLong((params as [any])[0]) : undefined))
    case "fails": {
      const random = Random.make(1)
      return failing(() => (Random.chance(random, FAILING) ? Random.pick(random, FAILURES) : undefined))
    }
  }
}

/** A failure inside the node, and a limit of calls for each second. */
const FAILURES = [
  new JsonRpcError.RemoteError({ code: -32_603, message: "internal error" }),
  new JsonRpcError.RemoteError({ code: -32_005, message: "limit exceeded" })
]

/** The refusal of a range that is too long, in the words of a provider. */
const tooLong = ({ fromBlock, toBlock }: { readonly fromBlock?: string; readonly toBlock?: string }) => {
  if (fromBlock === undefined || toBlock === undefined) return undefined
  const [from, to] = [BigInt(fromBlock), BigInt(toBlock)]
  if (to - from < MAX_RANGE) return undefined
  const fits = `[0x${from.toString(16)}, 0x${(from + MAX_RANGE - 1n).toString(16)}]`
  const message = `You can make eth_getLogs requests with up to a ${MAX_RANGE} block range. Based on your parameters, this block range should work: ${fits}`
  return new JsonRpcError.RemoteError({ code: -32_602, message })
}
