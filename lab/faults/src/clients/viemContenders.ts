/** viem with its default settings. */
import { setTimeout as delay } from "node:timers/promises"

import { Effect } from "effect"
import { createPublicClient, http, type PublicClient, webSocket } from "viem"

import { MAX_BYTES, type Contender, type Options } from "../contender.ts"
import { question } from "../liveAnswers.ts"
import { type Peer, toClient } from "./peer.ts"

const { account: address, slot } = question
const blockNumber = BigInt(question.number)

export const overHttp: Contender = {
  over: "Http",
  open: (server, options) =>
    Effect.sync(() => {
      const { batch } = options
      const transport = http(server.httpUrl, { batch, maxResponseBodySize: MAX_BYTES, ...timeoutOf(options) })
      return toClient(reads(createPublicClient({ transport })), options)
    })
}

export const overWebSocket: Contender = {
  over: "WebSocket",
  open: (server, options) =>
    Effect.gen(function* () {
      const { guard, heartbeat } = options
      const transport = webSocket(server.webSocketUrl, {
        ...timeoutOf(options),
        ...(heartbeat === undefined ? {} : { keepAlive: { interval: heartbeat } })
      })
      const client = createPublicClient({ transport })
      yield* Effect.addFinalizer(() => Effect.promise(() => guard(() => close(client.transport.getRpcClient()))))
      const follow: Peer["follow"] = async (onHead, onGap) => {
        let isFollowing = false
        await client.transport.subscribe({
          params: ["newHeads"],
          onData: ({ result }) => onHead(result),
          // After the start, an error is only a warning, because viem subscribes again.
          onError: () => isFollowing && onGap()
        })
        isFollowing = true
      }
      return toClient({ ...reads(client), follow }, options)
    })
}

const timeoutOf = ({ patience }: Options) => (patience === undefined ? {} : { timeout: patience })

/** Closes a socket after it has opened. Gives up after 100 ms, because viem returns a socket only when it is open. */
const close = async (socket: Promise<{ readonly close: () => void }>): Promise<void> => {
  const open = await Promise.race([socket.catch(() => undefined), delay(100)])
  open?.close()
}

const reads = (client: PublicClient): Peer => ({
  transaction: (hash) => client.getTransaction({ hash }),
  block: (blockHash) => client.getBlock({ blockHash, includeTransactions: true }),
  slot: () => client.getStorageAt({ address, slot, blockNumber }),
  account: () => client.getProof({ address, storageKeys: [slot], blockNumber }),
  kindOf: (error) => error.name,
  absences: ["BlockNotFoundError", "TransactionNotFoundError"]
})
