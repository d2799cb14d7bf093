/** A beacon node of a synthetic chain that stays at one slot. Objects are signed when a client asks for them. */
import { createHash } from "node:crypto"
import { writeFileSync } from "node:fs"
import * as path from "node:path"

import { Clock, Codec, type BeaconHeader, type MadeChain, Network, type Update } from "@plumbline/beacon-light-client"
import { Hash32, Hex } from "@plumbline/codec"
import type { HistoryChain } from "@plumbline/devnet"
import { Schema } from "effect"

import * as Servers from "./Servers.ts"

/** A node, and the requests that it received. */
export interface MadeBeacon extends AsyncDisposable {
  readonly url: string
  /** The requests for updates, each with its first period and its number of periods. */
  readonly asked: ReadonlyArray<readonly [start: bigint, count: number]>
}

/** The chain that a node serves, and the slots that its answers are about. */
export interface Told {
  readonly chain: MadeChain.MadeChain
  /** The slots whose bootstraps the node has. */
  readonly checkpoints: ReadonlyArray<bigint>
  /** The slot of the newest block. The signature for this block is in the next block. */
  readonly head: bigint
  /** Number of members that sign. Default: all. */
  readonly signers?: number
  /** True to say that no block is finalized after the checkpoint. Default: false. */
  readonly withholdsFinality?: boolean
  /** The fork that the newest updates name. Default: the fork of their slot. */
  readonly fork?: string
  /** The node answers the call `finality_update` only after this. */
  readonly until?: Promise<void>
}

/** Maximum number of updates of an answer: `MAX_REQUEST_LIGHT_CLIENT_UPDATES`. */
const MAX_UPDATES = 128

/** Number of epochs from a finalized block to the block whose state names it as finalized. */
const LAG = 2n

/** Returns the slot that is finalized in the state of a block. */
export const finalizedAt = ({ slotsPerEpoch }: Network.Network, slot: bigint): bigint =>
  (slot / BigInt(slotsPerEpoch) - LAG) * BigInt(slotsPerEpoch)

/**
 * The signed updates. They are kept because a signature takes 30 ms, and the nodes of a test file share the same chain.
 */
const signed = new WeakMap<MadeChain.MadeChain, Map<string, Update.Update>>()

/** Starts a node. */
export const serve = async ({
  chain,
  checkpoints,
  fork,
  head,
  signers,
  until,
  withholdsFinality = false
}: Told): Promise<MadeBeacon> => {
  const { network } = chain
  const asked: Array<readonly [bigint, number]> = []
  const formAt = (slot: bigint) => ({
    fork: Clock.forkAt(network, slot)!,
    syncCommitteeSize: network.syncCommitteeSize
  })
  const known = signed.get(chain) ?? new Map<string, Update.Update>()
  signed.set(chain, known)
  const updateAt = (attested: bigint): Update.Update => {
    const key = `${attested} ${signers} ${withholdsFinality}`
    const finalized = withholdsFinality ? undefined : finalizedAt(network, attested)
    const update = known.get(key) ?? chain.update({ attested, finalized, signers })
    known.set(key, update)
    return update
  }

  const updates = (start: bigint, count: number): Uint8Array => {
    if (withholdsFinality) return new Uint8Array()
    const last = Clock.periodOf(network, head)
    const length = Clock.slotsPerPeriod(network)
    const parts: Array<Uint8Array> = []
    for (let period = start; period <= last && parts.length < Math.min(count, MAX_UPDATES); period++) {
      const end = (period + 1n) * length - 2n
      const attested = end < head ? end : head
      const payload = Codec.update.encode(updateAt(attested), formAt(attested))
      const chunk = Buffer.alloc(12 + payload.length)
      chunk.writeBigUInt64LE(BigInt(4 + payload.length))
      chunk.set(digestAt(network, attested), 8)
      chunk.set(payload, 12)
      parts.push(chunk)
    }
    return Buffer.concat(parts)
  }

  const answer = (url: URL): { readonly body: Uint8Array; readonly slot: bigint } | undefined => {
    const call = url.pathname.replace("/eth/v1/beacon/light_client/", "")
    if (call === "updates") {
      const start = BigInt(url.searchParams.get("start_period")!)
      const count = Number(url.searchParams.get("count"))
      asked.push([start, count])
      return { body: updates(start, count), slot: head }
    }
    if (call === "finality_update") {
      if (withholdsFinality) return undefined
      return { body: Codec.finalityUpdate.encode(updateAt(head), formAt(head)), slot: head }
    }
    if (call === "optimistic_update") {
      return { body: Codec.optimisticUpdate.encode(updateAt(head), formAt(head)), slot: head }
    }
    const slot = checkpoints.find((slot) => call === `bootstrap/${chain.root(slot)}`)
    return slot === undefined ? undefined : { body: Codec.bootstrap.encode(chain.bootstrap(slot), formAt(slot)), slot }
  }

  const server = await Servers.serve(async (request, response) => {
    if (request.url!.endsWith("/finality_update")) await until
    const found = answer(new URL(request.url!, "http://beacon.invalid"))
    if (found === undefined) return void response.writeHead(404).end()
    const headers = {
      "content-type": "application/octet-stream",
      "eth-consensus-version": found.slot === head ? (fork ?? formAt(head).fork) : formAt(found.slot).fork
    }
    response.writeHead(200, headers).end(found.body)
  })
  return { url: server.url, asked, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

/**
 * Returns the header of an execution payload. A light client reads only its number and its hash, so everything else is
 * zero.
 */
export const payload = ({ hash, number }: HistoryChain.RecordedBlock): BeaconHeader.ExecutionPayloadHeader => ({
  parentHash: Hash32.ZERO,
  feeRecipient: `0x${"00".repeat(20)}` as BeaconHeader.ExecutionPayloadHeader["feeRecipient"],
  stateRoot: Hash32.ZERO,
  receiptsRoot: Hash32.ZERO,
  logsBloom: `0x${"00".repeat(256)}`,
  prevRandao: Hash32.ZERO,
  blockNumber: BigInt(number),
  gasLimit: 0n,
  gasUsed: 0n,
  timestamp: 0n,
  extraData: "0x",
  baseFeePerGas: 0n,
  blockHash: Hash32.fromHexUnsafe(hash),
  transactionsRoot: Hash32.ZERO,
  withdrawalsRoot: Hash32.ZERO,
  blobGasUsed: 0n,
  excessBlobGas: 0n
})

/** Returns the digest of a slot's fork: `compute_fork_digest`, without the blob schedule that Fulu mixes in. */
const digestAt = (network: Network.Network, slot: bigint): Uint8Array => {
  const { version } = Clock.scheduleAt(network, Clock.epochOf(network, slot))!
  const root = createHash("sha256")
    .update(Buffer.concat([Hex.toBytesUnsafe(version), Buffer.alloc(28)]))
    .update(Hex.toBytesUnsafe(network.genesisValidatorsRoot))
  return root.digest().subarray(0, 4)
}

/** Returns a network whose present slot is `slot`, so that a program with the machine's clock can follow it. */
export const presentAt = (network: Network.Network, slot: bigint): Network.Network => {
  const genesisTime = BigInt(Math.floor(Date.now() / 1000)) - slot * BigInt(network.secondsPerSlot)
  return Object.assign({}, network, { name: "made", genesisTime })
}

/** Writes the file of a network, for `--beacon-network`. */
export const networkFile = (folder: string, network: Network.Network): string => {
  const file = path.join(folder, "made-network.json")
  writeFileSync(file, JSON.stringify(Schema.encodeSync(Network.Network)(network)))
  return file
}
