/**
 * The history chain as an honest node, and its worlds, which cover every fork with transactions, failures and uncles.
 */
import { History, HistoryChain } from "@plumbline/devnet"
import { RemoteError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import { Effect } from "effect"

import type { Json } from "../json.ts"
import { type Node, remembered } from "./liars/node.ts"
import * as World from "./liars/world.ts"

/** The node. */
export const node = async (): Promise<Node> => {
  const { call } = await Effect.runPromise(History.make)
  const decoder = new TextDecoder()
  return remembered((method, params) =>
    Effect.runPromise(
      Effect.match(call(method, params), {
        onSuccess: (bytes) => ({ value: JSON.parse(decoder.decode(bytes)) as Json }),
        onFailure: (error) => ({ error })
      })
    ).then((answer) => {
      if ("value" in answer) return answer.value
      const { code, message } = answer.error as { readonly code: number; readonly message: string }
      throw new RemoteError({ code, message })
    })
  )
}

/**
 * Block 7 creates a contract in Homestead. Block 10 has two uncles. Block 19 has two failed transactions. Block 27 has
 * an uncle. Block 40 is of London. Block 60 creates a contract. Block 67 has all types of transactions.
 */
export const BLOCKS = [7, 10, 19, 27, 40, 60, 67] as const

export const worlds = async (numbers: ReadonlyArray<number> = BLOCKS): Promise<ReadonlyArray<World.World>> => {
  const honest = await node()
  const { elder } = HistoryChain.contracts
  const state: World.State = {
    contract: elder.address,
    account: HistoryChain.accounts[0]!.address,
    absent: `0x${"5e".repeat(20)}`,
    slots: [`0x${"00".repeat(32)}`, `0x${"02".padStart(64, "0")}`]
  }
  return Promise.all(
    numbers.map((number) =>
      World.read({
        name: `block ${number} (${HistoryChain.blocks[number]!.fork})`,
        node: honest,
        number: BigInt(number),
        other: BigInt(number === 58 ? 40 : 58),
        state
      })
    )
  )
}
