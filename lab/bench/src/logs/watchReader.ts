/**
 * A program that follows the logs of a node and stores each item with its cursor, a line of JSON for each: so it goes on
 * behind the last stored item, whenever it was killed. The bench kills it: `node watchReader.ts <url> <address> <file>`.
 *
 * What the bench checks is that no log is lost or told twice.
 */
import { appendFileSync, existsSync, readFileSync, truncateSync } from "node:fs"

import { EthClient, LogWatch, TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
import { Batching, HttpTransport, Retry, Transport } from "@plumbline/jsonrpc-core"
import { Anchor } from "@plumbline/verdict"
import { Effect, Layer, Schema, Stream } from "effect"

/** A line of the file. */
export interface StoredItem {
  readonly tag: LogWatch.LogItem["_tag"]
  /** The hash of the block, and for a log its index in the block. */
  readonly id: string
  /** The number of the block. */
  readonly number: number
  /** For a block that was removed: the number of its logs that were told. */
  readonly logs: number
  readonly cursor: unknown
}

/** Returns the items of a file. The last line may be torn, because the program was killed while it wrote. */
export const itemsOf = (file: string): ReadonlyArray<StoredItem> => {
  const text = existsSync(file) ? readFileSync(file, "utf8") : ""
  return text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))
}

const stored = (item: LogWatch.LogItem): StoredItem => {
  const { _tag: tag, cursor } = item
  return item._tag === "Log"
    ? {
        tag,
        id: `${item.log.blockHash} 0x${item.log.logIndex!.toString(16)}`,
        number: Number(item.log.blockNumber),
        logs: 0,
        cursor
      }
    : {
        tag,
        id: item.block.hash,
        number: Number(item.block.number),
        logs: item._tag === "Removed" ? item.logs : 0,
        cursor
      }
}

/** Trusts the node's newest block as one that can still be replaced, like the optimistic head of a light client. */
const newest: Effect.Effect<TrustedBlock.TrustedBlock["Service"], never, Transport.Transport> = Effect.map(
  EthClient.make,
  (eth) => ({
    resolve: () =>
      Effect.map(eth.getBlockByNumber("latest"), (block) => {
        const hash = block!.hash!
        const signed = {
          checkpoint: hash,
          slot: 0n,
          finality: "optimistic",
          participation: [512, 512],
          age: 0
        } as const
        return { _tag: "OnChain", hash, by: "the bench", anchor: Anchor.lightClient({ hash, ...signed }) }
      })
  })
)

const follow = (url: string, address: `0x${string}`, file: string) => {
  const items = itemsOf(file)
  if (existsSync(file)) {
    const whole = items.map((item) => `${JSON.stringify(item)}\n`).join("")
    truncateSync(file, Buffer.byteLength(whole))
  }
  const last = items.at(-1)
  const cursor = last === undefined ? LogWatch.start(1n) : Schema.decodeUnknownSync(LogWatch.Cursor)(last.cursor)
  const node = Transport.through(
    HttpTransport.layer({ url }),
    Batching.make(),
    Retry.make({ times: 8, initial: "1 millis" })
  )
  const client = VerdictEthClient.layer({ maxSteps: 100_000 }).pipe(
    Layer.provide(Layer.effect(TrustedBlock.TrustedBlock, newest)),
    Layer.provide(node)
  )
  return Effect.provide(
    VerdictEthClient.VerdictEthClient.use((eth) =>
      Stream.runForEach(LogWatch.watch(eth, { address: [address] }, { cursor, pollInterval: "20 millis" }), (item) =>
        Effect.sync(() => appendFileSync(file, `${JSON.stringify(stored(item))}\n`))
      )
    ),
    client
  )
}

if (import.meta.main) {
  const [url, address, file] = process.argv.slice(2)
  await Effect.runPromise(follow(url!, address as `0x${string}`, file!))
}
