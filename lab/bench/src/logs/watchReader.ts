/**
 * A program that follows the logs of a node and stores each item together with its cursor: so it goes on behind the last
 * stored item, whenever it was killed. The bench kills it: `node watchReader.ts <url> <address> <file>`.
 */
import { EthClient, LogWatch, TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
import { Batching, HttpTransport, Retry, Transport } from "@plumbline/jsonrpc-core"
import { Anchor } from "@plumbline/verdict"
import { Effect, Layer, Schema, Stream } from "effect"

import * as ReaderFile from "./readerFile.ts"

const itemOf = (item: LogWatch.LogItem): ReaderFile.StoredItem => {
  const { _tag: tag } = item
  if (item._tag === "Log") {
    const { blockHash, blockNumber, logIndex } = item.log
    return { tag, id: `${blockHash} 0x${logIndex!.toString(16)}`, number: Number(blockNumber), logs: 0 }
  }
  const { hash, number } = item.block
  return { tag, id: hash, number: Number(number), logs: item._tag === "Removed" ? item.logs : 0 }
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

const follow = (url: string, address: `0x${string}`, path: string) => {
  const file = ReaderFile.open(path)
  const last = file.cursor()
  const cursor = last === undefined ? LogWatch.start(1n) : Schema.decodeUnknownSync(LogWatch.Cursor)(last)
  const node = Transport.through(
    HttpTransport.layer({ url }),
    Batching.make(),
    Retry.make({ times: 8, initial: "1 millis" })
  )
  const client = VerdictEthClient.layer().pipe(
    Layer.provide(Layer.effect(TrustedBlock.TrustedBlock, newest)),
    Layer.provide(node)
  )
  return Effect.provide(
    VerdictEthClient.VerdictEthClient.use((eth) =>
      Stream.runForEach(LogWatch.watch(eth, { address: [address] }, { cursor, pollInterval: "20 millis" }), (item) =>
        Effect.sync(() => file.store(itemOf(item), item.cursor))
      )
    ),
    client
  )
}

if (import.meta.main) {
  const [url, address, file] = process.argv.slice(2)
  await Effect.runPromise(follow(url!, address as `0x${string}`, file!))
}
