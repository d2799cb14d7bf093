/** Calls to a node on this machine by typed clients, which take values and return checked values. */
import * as HttpTransport from "@plumbline/jsonrpc-core/http/HttpTransport"
import * as UndiciTransport from "@plumbline/jsonrpc-core/http/UndiciTransport"
import * as Batching from "@plumbline/jsonrpc-core/middleware/Batching"
import { Effect } from "effect"
import { Pool } from "undici"

import { source, text } from "../../inputs/blockInput.ts"
import { canonical } from "../../inputs/canonical.ts"
import type { Part, Row } from "../../measure/measuredRow.ts"
import { atOnce, block, type Call, slot, transaction } from "./measuredReads.ts"
import { ofEffect, ofPromises } from "./ourReaders.ts"
import { byFetch, byUndici, ofEthers, slotsByUndici } from "./raw.ts"
import * as Node from "./startMeasuredNode.ts"
import { ofViem, ofViemByHand } from "./viemReaders.ts"

const kilobytes = Math.round(text.length / 1000)

/** The values of ethers are not compared, because it returns objects of its own classes. */
const shown = (value: unknown): string => canonical(value)

export const client: Part = {
  name: "client",
  open: async () => {
    const server = await Node.start(text)
    const pool = new Pool(server.url)
    const undici = await Effect.runPromise(UndiciTransport.make({ url: server.url, dispatcher: pool }))
    const fetch = await Effect.runPromise(HttpTransport.make({ url: server.url }))
    const ours = { undici: ofEffect(undici), fetch: ofEffect(fetch) }
    const batching = { undici: ofEffect(Batching.make()(undici)), fetch: ofEffect(Batching.make()(fetch)) }
    const promises = { bare: ofPromises(server.url, pool, false), stack: ofPromises(server.url, pool, undefined) }
    const viem = { fetch: ofViem(server.url), undici: ofViem(server.url, { pool }), hand: ofViemByHand(pool) }
    const viemBatching = {
      fetch: ofViem(server.url, { batch: true }),
      undici: ofViem(server.url, { batch: true, pool })
    }
    const ethers = ofEthers(server.url, { batchMaxCount: 1 })
    const ethersBatching = ofEthers(server.url, {})
    const raw = { fetch: byFetch(server.url), undici: byUndici(pool) }

    const viems = (call: Call, count: number) => ({
      "viem over undici": atOnce(call(viem.undici), count),
      "viem over undici by hand": atOnce(call(viem.hand), count),
      "viem over fetch": atOnce(call(viem.fetch), count)
    })
    const others = (call: Call, count: number) => ({
      ethers: atOnce(call(ethers), count),
      "undici and JSON.parse": atOnce(call(raw.undici), count),
      "fetch and JSON.parse": atOnce(call(raw.fetch), count)
    })
    /** The transport of `layerUrl`, which gathers calls, beside viem with and without `batch`. */
    const overFetch = (name: string, call: Call, count: number): Row => ({
      name: `${name}, over fetch`,
      operations: count,
      goal: 1.3,
      waits: true,
      show: shown,
      ours: atOnce(call(batching.fetch), count),
      peers: {
        "viem over fetch": atOnce(call(viem.fetch), count),
        "viem over fetch, batch": atOnce(call(viemBatching.fetch), count)
      },
      yardsticks: {
        "ours, each call by itself": atOnce(call(ours.fetch), count),
        "fetch and JSON.parse": atOnce(call(raw.fetch), count)
      }
    })
    const single = (name: string, call: Call, count: number, together?: Row["ours"], goal = 2): ReadonlyArray<Row> => [
      {
        name,
        operations: count,
        goal,
        waits: true,
        show: shown,
        ours: together ?? atOnce(call(ours.undici), count),
        peers: viems(call, count),
        yardsticks: others(call, count)
      },
      overFetch(name, call, count),
      {
        name: `${name}, client of promises with its stack`,
        operations: count,
        waits: true,
        show: shown,
        ours: atOnce(call(promises.stack), count),
        peers: viems(call, count),
        yardsticks: { "the same without the stack": atOnce(call(promises.bare), count) }
      }
    ]

    const rows: ReadonlyArray<Row> = [
      ...single("a slot, one at a time", slot, 1),
      ...single("slots, 64 at a time", slot, 64, ours.undici.slots(64)),
      {
        name: "slots, 100 in a batch",
        operations: 100,
        goal: 4,
        waits: true,
        show: shown,
        ours: batching.undici.allSlots(100),
        peers: {
          "viem over undici": atOnce(slot(viemBatching.undici), 100),
          "viem over fetch": atOnce(slot(viemBatching.fetch), 100)
        },
        yardsticks: {
          ethers: atOnce(slot(ethersBatching), 100),
          "ours with a fiber for each": batching.undici.slots(100),
          "ours over fetch": batching.fetch.allSlots(100),
          "ours by promises with a stack": atOnce(slot(promises.stack), 100),
          "undici and JSON, nothing checked": slotsByUndici(pool, 100)
        }
      },
      ...single("a transaction, one at a time", transaction, 1),
      ...single("transactions, 64 at a time", transaction, 64, ours.undici.transactions(64)),
      ...single(`a block of ${kilobytes} kB, one at a time`, block, 1)
    ]
    const close = async () => {
      ethers.close()
      ethersBatching.close()
      await promises.bare.close()
      await promises.stack.close()
      await pool.close()
      await server.close()
    }
    return { rows, close, notes: [source] }
  }
}
