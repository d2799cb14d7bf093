/** Reads through clients, over a node in this process. */
import { TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
import { Effect } from "effect"

import { answering } from "../growth/parsedNode.ts"
import { blockAnswer, hash } from "../inputs/ethereumjsAnswers.ts"

const node = answering(({ method, params }) => (method === "eth_getBlockByHash" ? blockAnswer : params[1]))
const ACCOUNT = `0x${"12".repeat(20)}`
const SLOT = `0x${"00".repeat(32)}`

const trusted = Effect.runSync(Effect.provide(TrustedBlock.TrustedBlock, TrustedBlock.layerNone()))

/** Returns the number of calls that a node receives for a read. */
export const callsOf = async (read: () => Promise<unknown>): Promise<number> => {
  const before = node.counted.calls
  await read()
  return node.counted.calls - before
}

/** Reads a slot in the way of a program that uses Effect. */
export const slot = (): Promise<unknown> =>
  Effect.runPromise(node.client.getStorageAt(ACCOUNT as never, SLOT as never, "latest"))

/** Reads a whole block by its hash and proves it. The client is new, so that it remembers no header. */
export const provenBlock = async (): Promise<unknown> => {
  const client = VerdictEthClient.make(node.client, trusted)
  const verdict = await Effect.runPromise(client.getBlockByHash(hash as never, { full: true, senders: false }))
  if (verdict._tag !== "VERIFIED") throw new Error("only claimed")
  return verdict
}
