/** The recorded light client data of mainnet, in each of its three wire forms. */
import { type Bootstrap, Codec, Fork, type Form, Network, type Update } from "@plumbline/beacon-light-client"
import { Result } from "effect"
import { parse } from "yaml"

import * as Fixtures from "../support/fixtures.ts"

const FOLDER = "10-light-client"

/** A container with its file, and the same container after it was written and read again. */
export interface Recorded<A> {
  readonly file: string
  readonly value: A
  /** The bytes as recorded, if the file has SSZ. */
  readonly bytes: Uint8Array | undefined
  readonly form: Form.ContainerForm
}

const formOf = (fork: string): Form.ContainerForm => {
  const name = Fork.all.find((known) => fork.includes(known))
  if (name === undefined) throw new Error(`no fork in ${fork}`)
  return { fork: name, syncCommitteeSize: Network.mainnet.syncCommitteeSize }
}

const fromSsz = <A>(codec: Codec.ContainerCodec<A>, file: string, bytes: Uint8Array): Recorded<A> => {
  const form = formOf(file)
  return { file, value: Result.getOrThrow(codec.decode(bytes, form)), bytes, form }
}

const fromJson = <A>(codec: Codec.ContainerCodec<A>, file: string, { data, version }: any): Recorded<A> => {
  const form = formOf(version)
  return { file, value: Result.getOrThrow(codec.fromJson(data, form)), bytes: undefined, form }
}

/** Returns the content of a Portal file. */
const portal = (file: string): Uint8Array => Buffer.from(parse(Fixtures.text(file)).content_value.slice(2), "hex")

/** Bytes of a fork digest. */
const DIGEST = 4

/** Returns the items of the beacon API's answer about a range. Each item is a length, a digest and a container. */
const range = (bytes: Uint8Array): ReadonlyArray<Uint8Array> => {
  const items: Array<Uint8Array> = []
  for (let at = 0; at < bytes.length;) {
    const start = at + 8
    at = start + Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(at, true))
    items.push(bytes.subarray(start + DIGEST, at))
  }
  return items
}

/** Returns the items of Portal's range, an SSZ list. Each item is a digest and a container. */
const portalRange = (bytes: Uint8Array): ReadonlyArray<Uint8Array> => {
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const starts = Array.from({ length: view.getUint32(0, true) / 4 }, (_, at) => view.getUint32(4 * at, true))
  return starts.map((start, at) => bytes.subarray(start + DIGEST, starts[at + 1] ?? bytes.length))
}

export const bootstraps = (): ReadonlyArray<Recorded<Bootstrap.Bootstrap>> => [
  ...Fixtures.files(`${FOLDER}/mainnet/bootstrap/*.ssz`).map((file) =>
    fromSsz(Codec.bootstrap, file, Fixtures.bytes(file))
  ),
  ...Fixtures.files(`${FOLDER}/mainnet-json/bootstrap*.json`).map((file) =>
    fromJson(Codec.bootstrap, file, Fixtures.json(file))
  ),
  ...Fixtures.files(`${FOLDER}/mainnet-portal/bootstrap*.yaml`).map((file) =>
    fromSsz(Codec.bootstrap, file, portal(file).subarray(DIGEST))
  )
]

export const updates = (): ReadonlyArray<Recorded<Update.Update>> => [
  ...Fixtures.files(`${FOLDER}/mainnet/updates/*.ssz`).flatMap((file) =>
    range(Fixtures.bytes(file)).map((bytes) => fromSsz(Codec.update, file, bytes))
  ),
  ...Fixtures.files(`${FOLDER}/mainnet-json/updates*.json`).flatMap((file) =>
    Fixtures.json(file).map((item: any) => fromJson(Codec.update, file, item))
  ),
  ...Fixtures.files(`${FOLDER}/mainnet-portal/updates*.yaml`).flatMap((file) =>
    portalRange(portal(file)).map((bytes) => fromSsz(Codec.update, file, bytes))
  )
]

/** Finality and optimistic updates. */
export const heads = (): ReadonlyArray<Recorded<Update.AnyUpdate>> => [
  ...Fixtures.files(`${FOLDER}/mainnet-json/finality*.json`).map((file) =>
    fromJson(Codec.finalityUpdate, file, Fixtures.json(file))
  ),
  ...Fixtures.files(`${FOLDER}/mainnet-json/optimistic*.json`).map((file) =>
    fromJson(Codec.optimisticUpdate, file, Fixtures.json(file))
  ),
  ...Fixtures.files(`${FOLDER}/mainnet-portal/finality*.yaml`).map((file) =>
    fromSsz(Codec.finalityUpdate, file, portal(file).subarray(DIGEST))
  ),
  ...Fixtures.files(`${FOLDER}/mainnet-portal/optimistic*.yaml`).map((file) =>
    fromSsz(Codec.optimisticUpdate, file, portal(file).subarray(DIGEST))
  )
]
