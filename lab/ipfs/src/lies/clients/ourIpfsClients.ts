/** Our clients, over undici, which shows trailers, and over `fetch`, which hides them. */
import { NodeHttpClient } from "@effect/platform-node"
import * as DagCbor from "@ipld/dag-cbor"
import { Cid, IpfsClient, ProvenIpfsClient } from "@plumbline/ipfs-client"
import { Cause, Effect, Exit, Layer, Stream } from "effect"
import { FetchHttpClient, type HttpClient } from "effect/http"

import { digestOf } from "../../suite/content.ts"
import { type Contender, MAX_BYTES, PATIENCE } from "../ipfsContender.ts"
import { endless, MOST, type Seen, TooMuch } from "../ipfsObservation.ts"
import { archiveShown } from "../shown.ts"
import * as Truth from "../trueContent.ts"

type Ipfs = IpfsClient.AnyClient

const fileCid = Cid.fromTextUnsafe(String(Truth.cids.file))
const directoryCid = Cid.fromTextUnsafe(String(Truth.cids.directory))
const chunkCid = Cid.fromTextUnsafe(String(Truth.chunks[0]))
const dataCid = Cid.fromTextUnsafe(String(Truth.data))

/** Returns all bytes, up to the bound. */
const collected = <E>(bytes: Stream.Stream<Uint8Array, E>): Effect.Effect<Uint8Array, E> =>
  Effect.suspend(() => {
    let size = 0
    return bytes.pipe(
      Stream.tap((piece) => {
        size += piece.length
        return size > MOST ? Effect.die(new TooMuch()) : Effect.void
      }),
      Stream.mkUint8Array
    )
  })

const TYPES: Readonly<Record<number, string>> = { 1: "dir", 2: "file" }

const reads: {
  readonly [read in Truth.Read]: (ipfs: Ipfs) => Effect.Effect<string, IpfsClient.IpfsFailure>
} = {
  cat: (ipfs) => Effect.map(collected(ipfs.cat(fileCid)), digestOf),
  range: (ipfs) => Effect.map(collected(ipfs.cat(fileCid, Truth.RANGE)), digestOf),
  block: (ipfs) => Effect.map(ipfs.blockGet(chunkCid), digestOf),
  data: (ipfs) => Effect.map(ipfs.dagGet(dataCid, { outputCodec: "dag-cbor" }), digestOf),
  ls: (ipfs) =>
    Effect.map(Stream.runCollect(ipfs.ls(directoryCid)), (entries) =>
      entries.map(({ cid, name, size, type }) => Truth.entryShown(name, cid, size, TYPES[type])).join(", ")
    ),
  stat: (ipfs) =>
    Effect.map(
      ipfs.filesStat(`/ipfs/${String(Truth.cids.file)}`),
      ({ cid, cumulativeSize, size, type }) => `${cid} ${size} ${cumulativeSize} ${type}`
    ),
  get: (ipfs) =>
    Effect.flatMap(collected(ipfs.get(directoryCid)), (archive) => Effect.promise(() => archiveShown(archive))),
  export: (ipfs) => Effect.map(collected(ipfs.dagExport(fileCid)), digestOf),
  add: (ipfs) =>
    Effect.map(ipfs.add({ path: "b.bin", content: Truth.FILE }), ({ cid, name, size }) => `${name} ${cid} ${size}`),
  addAll: (ipfs) =>
    Effect.map(Stream.runCollect(ipfs.addAll(Truth.FILES, { wrapWithDirectory: true })), (events) =>
      events.flatMap((event) => ("size" in event ? [`${event.name} ${event.cid} ${event.size}`] : [])).join(", ")
    ),
  blockPut: (ipfs) =>
    Effect.map(ipfs.blockPut(Truth.BLOCK, { cidCodec: "raw" }), ({ cid, size }) =>
      size === Truth.BLOCK.length ? cid : `${cid} ${size}`
    ),
  dataPut: (ipfs) => ipfs.dagPut(DagCbor.encode(Truth.DATA), { inputCodec: "dag-cbor" }),
  pins: (ipfs) =>
    Effect.map(Stream.runCollect(ipfs.pinLs()), (pins) => pins.map(({ cid, type }) => `${cid} ${type}`).join(", ")),
  version: (ipfs) => Effect.map(ipfs.version(), ({ version }) => version)
}

const seenOf = (exit: Exit.Exit<string, IpfsClient.IpfsFailure>): Seen => {
  if (Exit.isSuccess(exit)) return { _tag: "Value", shown: exit.value }
  const error = Cause.squash(exit.cause)
  if (error instanceof TooMuch) return endless
  const printed = Cause.pretty(exit.cause)
  if (!Cause.hasFails(exit.cause)) return { _tag: "Untyped", kind: "defect", printed }
  const failure = error as IpfsClient.IpfsFailure
  return { _tag: "Refused", kind: failure._tag === "IpfsError" ? failure.reason._tag : failure._tag, printed }
}

const contender = (title: string, client: Layer.Layer<HttpClient.HttpClient>, verifies: boolean): Contender => ({
  title,
  verifies,
  perform: async (read, url, signal) => {
    const plain = IpfsClient.layer({ url, timeout: PATIENCE, maxBytes: MAX_BYTES, retries: 0 }).pipe(
      Layer.provide(client),
      Layer.orDie
    )
    const layer = verifies ? ProvenIpfsClient.layer().pipe(Layer.provide(plain)) : plain
    const program = Effect.provide(IpfsClient.IpfsClient.use(reads[read]), layer)
    return seenOf(await Effect.runPromiseExit(program, { signal }))
  }
})

/** With proofs. */
export const verified = contender("ours, verified", NodeHttpClient.layerUndici, true)

/** Our client with proofs, over a transport that hides trailers, as browsers do. */
export const verifiedOverFetch = contender("ours, verified, fetch", FetchHttpClient.layer, true)

/** Without proofs. */
export const plain = contender("ours, plain", NodeHttpClient.layerUndici, false)
