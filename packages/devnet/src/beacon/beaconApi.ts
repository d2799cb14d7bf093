/**
 * The beacon API of the stand-in: the endpoints that light clients use, in JSON and SSZ.
 *
 * Source: ethereum/beacon-APIs `apis/beacon/light_client`, `apis/beacon/genesis.yaml`, `apis/config/spec.yaml`,
 * `apis/beacon/blocks/header.yaml`.
 */
import * as BeaconApi from "@plumbline/beacon-light-client/api/BeaconApi"
import * as Codec from "@plumbline/beacon-light-client/container/Codec"
import type * as Network from "@plumbline/beacon-light-client/network/Network"
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Bytes from "@plumbline/codec/hex/Bytes"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Result from "effect/Result"

import * as BeaconBlocks from "./beaconBlocks.ts"
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
  const { pathname, search } = new URL(target, BASE)
  if (!pathname.startsWith(PREFIX)) return failure(404, "no such path")
  const path = pathname.slice(PREFIX.length)
  const call = BeaconApi.parse(path, search)
  if (call !== undefined) return served(chain, accept, call)
  return path.startsWith(HEADERS) ? header(chain, path.slice(HEADERS.length)) : failure(404, "no such path")
}

const BASE = "http://beacon.invalid"
const PREFIX = "/eth/v1/"
const HEADERS = "beacon/headers/"

const served = (chain: SlotChain, accept: string, call: BeaconApi.LightClientRequest): BeaconApiResponse => {
  const { network } = chain.shared
  switch (call._tag) {
    case "Invalid":
      return failure(400, call.problem)
    case "Bootstrap": {
      const found = chain.bootstrap(call.root)
      if (found === undefined) return failure(404, "no bootstrap of this block")
      return container(accept, Codec.bootstrap, BeaconApi.bootstrap(found, network), network)
    }
    case "Updates":
      return updates(chain, accept, call)
    case "FinalityUpdate":
      return container(accept, Codec.finalityUpdate, BeaconApi.finalityUpdate(chain.finalityUpdate(), network), network)
    case "OptimisticUpdate":
      return container(
        accept,
        Codec.optimisticUpdate,
        BeaconApi.optimisticUpdate(chain.finalityUpdate(), network),
        network
      )
    case "Genesis":
      return json(BeaconApi.genesis(network))
    case "Spec":
      return json(BeaconApi.spec(network))
    case "Health":
      return { status: 200, headers: {}, body: new Uint8Array() }
  }
}

const updates = (
  chain: SlotChain,
  accept: string,
  { count, startPeriod }: Extract<BeaconApi.LightClientRequest, { readonly _tag: "Updates" }>
): BeaconApiResponse => {
  const { network } = chain.shared
  const found = Array.from({ length: count }, (_, at) => chain.update(startPeriod + BigInt(at))).flatMap((update) =>
    update === undefined
      ? []
      : [{ slot: update.attestedHeader.beacon.slot, written: BeaconApi.update(update, network) }]
  )
  return BeaconApi.prefersSsz(accept)
    ? ssz(Bytes.join(found.map(({ slot, written }) => BeaconApi.chunk(written, slot, network))))
    : json(found.map(({ written }) => Result.getOrThrow(BeaconApi.toJson(Codec.update, written, network))))
}

const header = (chain: SlotChain, id: string): BeaconApiResponse => {
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

const NUMBER = /^[0-9]{1,15}$/u

const lower = (hash: Hash32.Hash32): Hash32.Hash32 => Hash32.fromHexUnsafe(hash.toLowerCase())

const container = <A>(
  accept: string,
  codec: Codec.ContainerCodec<A>,
  written: BeaconApi.SszContainer,
  network: Network.Network
): BeaconApiResponse =>
  BeaconApi.prefersSsz(accept)
    ? ssz(written.bytes)
    : json(Result.getOrThrow(BeaconApi.toJson(codec, written, network)), VERSION)

const VERSION = { "eth-consensus-version": BeaconBlocks.FORK }

const ssz = (body: Uint8Array): BeaconApiResponse => ({
  status: 200,
  headers: { "content-type": BeaconApi.SSZ_TYPE, ...VERSION },
  body
})

const json = (value: unknown, headers: Readonly<Record<string, string>> = {}, status = 200): BeaconApiResponse => ({
  status,
  headers: { "content-type": BeaconApi.JSON_TYPE, ...headers },
  body: new TextEncoder().encode(JSON.stringify(value))
})

const failure = (code: number, message: string): BeaconApiResponse => json({ code, message }, {}, code)
