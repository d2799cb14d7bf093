/**
 * The beacon API of the stand-in: the endpoints that light clients use, in JSON and SSZ.
 *
 * Source: ethereum/beacon-APIs `apis/beacon/light_client`, `apis/beacon/genesis.yaml`, `apis/config/spec.yaml`,
 * `apis/beacon/blocks/header.yaml`.
 */
import * as Codec from "@plumbline/beacon-light-client/container/Codec"
import type * as Form from "@plumbline/beacon-light-client/container/Form"
import * as Clock from "@plumbline/beacon-light-client/network/Clock"
import type * as Network from "@plumbline/beacon-light-client/network/Network"
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Bytes from "@plumbline/codec/hex/Bytes"
import * as Hex from "@plumbline/codec/hex/Hex"

import * as BeaconBlocks from "./beaconBlocks.ts"
import * as HashTree from "./hashTree.ts"
import type { SlotChain } from "./slotChain.ts"

/** A request: the path from `/eth` on, with its query, and the header `Accept`. */
export interface BeaconApiRequest {
  readonly target: string
  readonly accept: string
}

/** An HTTP answer. */
export interface BeaconApiResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** Returns the answer of a chain. */
export const answer = (chain: SlotChain, { accept, target }: BeaconApiRequest): BeaconApiResponse => {
  if (!URL.canParse(target, BASE)) return failure(404, "no such path")
  const { pathname, searchParams } = new URL(target, BASE)
  const found = ROUTES.flatMap(([path, route]) => {
    const match = path.exec(pathname)
    return match === null ? [] : [() => route({ chain, accept, query: searchParams, id: match[1] ?? "" })]
  })[0]
  return found === undefined ? failure(404, "no such path") : found()
}

const BASE = "http://beacon.invalid"

interface Asked {
  readonly chain: SlotChain
  readonly accept: string
  readonly query: URLSearchParams
  /** The last part of the path. */
  readonly id: string
}

type Route = (asked: Asked) => BeaconApiResponse

const bootstrap: Route = ({ accept, chain, id }) => {
  const found = Hash32.isHash32(id) ? chain.bootstrap(lower(id)) : undefined
  return found === undefined ? failure(404, "no bootstrap of this block") : container(accept, Codec.bootstrap, found)
}

/** Maximum number of updates in one answer: `MAX_REQUEST_LIGHT_CLIENT_UPDATES`. */
const MAX_UPDATES = 128

const updates: Route = ({ accept, chain, query }) => {
  const [start, count] = ["start_period", "count"].map((name) => query.get(name) ?? "")
  if (!NUMBER.test(start!) || !NUMBER.test(count!)) return failure(400, "want start_period and count")
  const wanted = Array.from({ length: Math.min(Number(count), MAX_UPDATES) }, (_, at) => BigInt(start!) + BigInt(at))
  const found = wanted.flatMap((period) => chain.update(period) ?? [])
  if (!prefersSsz(accept)) {
    return json(found.map((update) => ({ version: BeaconBlocks.FORK, data: Codec.update.toJson(update, FORM) })))
  }
  const digest = digestOf(chain.shared.network)
  const parts = found.flatMap((update) => {
    const payload = Codec.update.encode(update, FORM)
    const length = HashTree.uint64(BigInt(digest.length + payload.length)).subarray(0, 8)
    return [length, digest, payload]
  })
  return ssz(Bytes.join(parts))
}

/** The digest of the fork, which names it in streams: `compute_fork_digest`. */
const digestOf = (network: Network.Network): Uint8Array => {
  const { version } = Clock.scheduleAt(network, 0n)!
  const root = HashTree.container([
    ...HashTree.leaves(Hex.toBytesUnsafe(version)),
    Hash32.toBytes(network.genesisValidatorsRoot)
  ])
  return root.subarray(0, 4)
}

const finalityUpdate: Route = ({ accept, chain }) => container(accept, Codec.finalityUpdate, chain.finalityUpdate())

const optimisticUpdate: Route = ({ accept, chain }) => container(accept, Codec.optimisticUpdate, chain.finalityUpdate())

const genesis: Route = ({ chain: { shared } }) => {
  const { forks, genesisTime, genesisValidatorsRoot } = shared.network
  return json({
    data: {
      genesis_time: String(genesisTime),
      genesis_validators_root: genesisValidatorsRoot,
      genesis_fork_version: forks[0]!.version
    }
  })
}

const spec: Route = ({ chain: { shared } }) => {
  const { chainId, epochsPerSyncCommitteePeriod, forks, name, secondsPerSlot, slotsPerEpoch, syncCommitteeSize } =
    shared.network
  const schedule = forks.flatMap(({ epoch, name, version }) => [
    [`${name.toUpperCase()}_FORK_VERSION`, version],
    [`${name.toUpperCase()}_FORK_EPOCH`, String(epoch)]
  ])
  return json({
    data: {
      CONFIG_NAME: name,
      SECONDS_PER_SLOT: String(secondsPerSlot),
      SLOTS_PER_EPOCH: String(slotsPerEpoch),
      EPOCHS_PER_SYNC_COMMITTEE_PERIOD: String(epochsPerSyncCommitteePeriod),
      SYNC_COMMITTEE_SIZE: String(syncCommitteeSize),
      DEPOSIT_CHAIN_ID: String(chainId),
      ...Object.fromEntries(schedule)
    }
  })
}

const header: Route = ({ chain, id }) => {
  const block = blockOf(chain, id)
  if (block === undefined) return failure(404, "no such block")
  const { bodyRoot, parentRoot, proposerIndex, slot, stateRoot } = block.header.beacon
  return json({
    execution_optimistic: false,
    finalized: slot <= chain.finalized().header.beacon.slot,
    data: {
      root: block.root,
      canonical: true,
      header: {
        message: {
          slot: String(slot),
          proposer_index: String(proposerIndex),
          parent_root: parentRoot,
          state_root: stateRoot,
          body_root: bodyRoot
        },
        // proposers do not sign here: light clients never see their signatures
        signature: Hex.fromBytes(new Uint8Array(96))
      }
    }
  })
}

const blockOf = (chain: SlotChain, id: string): BeaconBlocks.MadeBeaconBlock | undefined => {
  if (id === "head") return chain.head()
  if (id === "finalized") return chain.finalized()
  return Hash32.isHash32(id) ? chain.find(lower(id)) : NUMBER.test(id) ? chain.find(BigInt(id)) : undefined
}

const ROUTES: ReadonlyArray<readonly [path: RegExp, route: Route]> = [
  [/^\/eth\/v1\/beacon\/light_client\/bootstrap\/([^/]+)$/u, bootstrap],
  [/^\/eth\/v1\/beacon\/light_client\/updates$/u, updates],
  [/^\/eth\/v1\/beacon\/light_client\/finality_update$/u, finalityUpdate],
  [/^\/eth\/v1\/beacon\/light_client\/optimistic_update$/u, optimisticUpdate],
  [/^\/eth\/v1\/beacon\/genesis$/u, genesis],
  [/^\/eth\/v1\/config\/spec$/u, spec],
  [/^\/eth\/v1\/beacon\/headers\/([^/]+)$/u, header]
]

const NUMBER = /^[0-9]{1,15}$/u

const FORM: Form.ContainerForm = { fork: BeaconBlocks.FORK, syncCommitteeSize: 512 }

const lower = (hash: Hash32.Hash32): Hash32.Hash32 => Hash32.fromHexUnsafe(hash.toLowerCase())

const container = <A>(accept: string, codec: Codec.ContainerCodec<A>, value: A): BeaconApiResponse =>
  prefersSsz(accept)
    ? ssz(codec.encode(value, FORM))
    : json({ version: BeaconBlocks.FORK, data: codec.toJson(value, FORM) }, VERSION)

/** True if the header prefers SSZ to JSON. With equal weights, JSON is preferred. */
const prefersSsz = (accept: string): boolean => weightOf(accept, SSZ) > weightOf(accept, JSON_TYPE)

const weightOf = (accept: string, type: string): number => {
  const part = accept.split(",").find((part) => part.trim().startsWith(type))
  if (part === undefined) return 0
  const weight = /;\s*q=([0-9.]+)/u.exec(part)
  return weight === null ? 1 : Number(weight[1])
}

const SSZ = "application/octet-stream"
const JSON_TYPE = "application/json"
const VERSION = { "eth-consensus-version": BeaconBlocks.FORK }

const ssz = (body: Uint8Array): BeaconApiResponse => ({
  status: 200,
  headers: { "content-type": SSZ, ...VERSION },
  body
})

const json = (value: unknown, headers: Readonly<Record<string, string>> = {}, status = 200): BeaconApiResponse => ({
  status,
  headers: { "content-type": JSON_TYPE, ...headers },
  body: new TextEncoder().encode(JSON.stringify(value))
})

const failure = (code: number, message: string): BeaconApiResponse => json({ code, message }, {}, code)
