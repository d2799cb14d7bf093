/** Our clients over different transports, as programs use them with and without Effect. */
import type { Hash32 } from "@plumbline/codec"
import { EthClient, EthMethods } from "@plumbline/eth-methods"
import * as PromiseClient from "@plumbline/jsonrpc-core/client/PromiseClient"
import * as UndiciTransport from "@plumbline/jsonrpc-core/http/UndiciTransport"
import * as Transport from "@plumbline/jsonrpc-core/transport/Transport"
import { Effect } from "effect"
import type { Pool } from "undici"

import type { Run } from "../../measure/measuredRow.ts"
import { ACCOUNT, type Reader } from "./measuredReads.ts"

/** The typed client in an Effect program: single calls, calls with a fiber for each, and calls made together. */
export const ofEffect = (transport: Transport.Transport["Service"]) => {
  const eth = Effect.runSync(Effect.provideService(EthClient.make, Transport.Transport, transport))
  const reader: Reader = {
    slot: (account, slot) => Effect.runPromise(eth.getStorageAt(account as never, slot as never, "latest")),
    block: (hash) => Effect.runPromise(eth.getBlockByHash(hash as never, { full: true })),
    transaction: (hash) => Effect.runPromise(eth.getTransactionByHash(hash as never))
  }
  const wordOf = (n: number) => `0x${n.toString(16).padStart(64, "0")}` as Hash32.Hash32
  const together =
    (effect: (n: number) => Effect.Effect<unknown, unknown>) =>
    (count: number): Run =>
    (first) =>
      Effect.runPromise(
        Effect.forEach(
          Array.from({ length: count }, (_, i) => first + i),
          effect,
          { concurrency: "unbounded" }
        )
      )
  return {
    ...reader,
    slots: together((n) => eth.getStorageAt(ACCOUNT, wordOf(n), "latest")),
    /** Reads slots with the function for many reads: one packet, and no fiber for each read. */
    allSlots:
      (count: number): Run =>
      (first) =>
        Effect.runPromise(
          EthClient.all(Array.from({ length: count }, (_, i) => eth.getStorageAt(ACCOUNT, wordOf(first + i), "latest")))
        ),
    transactions: together((n) => eth.getTransactionByHash(wordOf(n)))
  }
}

/**
 * The client that returns promises. With `stack: false` it has no middleware; otherwise it has the usual middleware.
 */
export const ofPromises = (url: string, dispatcher: Pool, stack: false | undefined) => {
  const transport = UndiciTransport.layer({ url, dispatcher })
  const { close, methods } = PromiseClient.create({ transport, group: EthMethods.group, stack })
  const reader: Reader = {
    slot: (account, slot) => methods.eth_getStorageAt(account, slot, "latest"),
    block: (hash) => methods.eth_getBlockByHash(hash, true),
    transaction: (hash) => methods.eth_getTransactionByHash(hash)
  }
  return { ...reader, close }
}
