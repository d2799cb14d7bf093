/**
 * Computes the answers of `object/get`, `object/data` and `object/stat` from the block of a dag-pb node, and the block
 * of `object/put`, for IPFS nodes that dropped these commands.
 *
 * Source: Kubo 0.27 `core/commands/object`; sizes as js-ipfs computes them.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import * as Cid from "../cid/Cid.ts"
import * as Base64 from "../codec/base64.ts"
import * as DagPb from "../codec/dagPb.ts"
import * as EntryNames from "../codec/entryNames.ts"
import * as IpldCodecs from "../codec/ipldCodecs.ts"
import { now, STEP, type Steps } from "../work/steps.ts"
import * as WorkScheduler from "../work/WorkScheduler.ts"
import { type LimitExceeded, MalformedBlock } from "./DagError.ts"
import { flawed } from "./malformedBlock.ts"

/** The text encoding of a node's data. */
export type DataEncoding = "base64" | "text"

/** A link. `size` is the size of the linked DAG in bytes, as the maker of the node wrote it. */
export interface DagPbLink {
  readonly name: string
  /** The bytes of a name that is not UTF-8. `name` is then only for display. */
  readonly nameBytes?: Uint8Array | undefined
  readonly cid: Cid.CidText
  readonly size: number
}

/** A dag-pb node: its links, and its data as text. */
export interface DagPbObject {
  readonly links: ReadonlyArray<DagPbLink>
  readonly data: string
}

/** The sizes of a dag-pb node, in bytes. */
export interface DagPbStat {
  readonly cid: Cid.CidText
  /** The number of the node's links. */
  readonly links: number
  readonly blockSize: number
  /** The bytes of the block that are not data. */
  readonly linksSize: number
  readonly dataSize: number
  /** The bytes of the block and of all linked DAGs. */
  readonly cumulativeSize: number
}

/**
 * Returns a node, with its data in the requested encoding. Fails with `MalformedBlock` if the bytes are not a dag-pb
 * node, or if the size of a link is beyond 2^53, and with `LimitExceeded` beyond `Block.MAX_LINKS`. So do the functions
 * below.
 *
 * ```ts import.meta.vitest
 * import { Cid, DagPbObject } from "@plumbline/ipfs-client"
 * import { Result } from "effect"
 *
 * const emptyDirectory = Uint8Array.of(0x0a, 0x02, 0x08, 0x01)
 * const cid = Cid.fromTextUnsafe("QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn")
 * const object = DagPbObject.get(cid, emptyDirectory, "base64")
 * Result.getOrThrow(object) // => { links: [], data: "CAE=" }
 * ```
 */
export const get = (
  cid: Cid.Cid,
  block: Uint8Array,
  encoding: DataEncoding
): Result.Result<DagPbObject, MalformedBlock | LimitExceeded> => now(getSteps(cid, block, encoding))

/** Returns a node as `get` does, in turns with other work. */
export const getEffect = (
  cid: Cid.Cid,
  block: Uint8Array,
  encoding: DataEncoding
): Effect.Effect<DagPbObject, MalformedBlock | LimitExceeded> =>
  Effect.flatMap(
    WorkScheduler.run(() => getSteps(cid, block, encoding)),
    Effect.fromResult
  )

function* getSteps(
  cid: Cid.Cid,
  block: Uint8Array,
  encoding: DataEncoding
): Steps<Result.Result<DagPbObject, MalformedBlock | LimitExceeded>> {
  const scanned = yield* scan(cid, block)
  if (Result.isFailure(scanned)) return Result.fail(scanned.failure)
  const node = scanned.success
  const links: Array<DagPbLink> = []
  for (let i = 0; i < node.count; i++) {
    // Writing a CID as text takes as long as reading many links.
    if (i % (STEP / 4) === STEP / 4 - 1) yield
    const { cid: linked, name = NOTHING, totalSize = 0 } = DagPb.linkOf(node, i)
    if (typeof totalSize === "bigint") return beyond(cid)
    const { bytes, text } = EntryNames.ofBytes(name)
    links.push({
      name: text,
      cid: Cid.toText(linked),
      size: totalSize,
      ...(bytes === undefined ? {} : { nameBytes: bytes })
    })
  }
  const { data = NOTHING } = node
  return Result.succeed({ links, data: encoding === "base64" ? yield* Base64.encodeSteps(data) : text(data) })
}

/**
 * Returns the block of a node, in turns with other work. Its links are sorted by the bytes of their names, as the format
 * requires. Returns undefined if the data is not base64, although `encoding` says so.
 *
 * ```ts import.meta.vitest
 * import { DagPbObject } from "@plumbline/ipfs-client"
 * import { Effect } from "effect"
 *
 * const block = DagPbObject.putEffect({ links: [], data: "CAE=" }, "base64")
 * await Effect.runPromise(block) // => Uint8Array.of(0x0a, 0x02, 0x08, 0x01)
 * ```
 */
export const putEffect = (object: DagPbObject, encoding: DataEncoding): Effect.Effect<Uint8Array | undefined> =>
  WorkScheduler.run(() => putSteps(object, encoding))

function* putSteps({ data, links }: DagPbObject, encoding: DataEncoding): Steps<Uint8Array | undefined> {
  const bytes = encoding === "base64" ? yield* Base64.decodeSteps(data) : utf8.encode(data)
  if (bytes === undefined) return undefined
  const written: Array<DagPb.PbLink> = []
  for (const { cid, name, nameBytes, size } of links) {
    // Reading the text of a CID takes as long as writing many links.
    if (written.length % (STEP / 4) === STEP / 4 - 1) yield
    written.push({ cid: Cid.fromTextUnsafe(cid), name: nameBytes ?? utf8.encode(name), totalSize: size })
  }
  return yield* DagPb.encodeSteps({ data: bytes, links: written })
}

const utf8 = /* @__PURE__ */ new TextEncoder()

/** Returns the data of a node. Fails with `MalformedBlock` if the bytes are not a dag-pb node. */
export const data = (cid: Cid.Cid, block: Uint8Array): Result.Result<Uint8Array, MalformedBlock | LimitExceeded> =>
  Result.map(now(scan(cid, block)), (node) => node.data ?? NOTHING)

/**
 * Returns the sizes of a node. Fails with `MalformedBlock` if the bytes are not a dag-pb node, or if the links have
 * sizes beyond 2^53.
 *
 * The maker of the node wrote the sizes into its links. The block's hash proves what the maker wrote, but nothing
 * proves that the sizes are right.
 */
export const stat = (cid: Cid.Cid, block: Uint8Array): Result.Result<DagPbStat, MalformedBlock | LimitExceeded> =>
  now(statSteps(cid, block))

/** Returns the sizes of a node as `stat` does, in turns with other work. */
export const statEffect = (cid: Cid.Cid, block: Uint8Array): Effect.Effect<DagPbStat, MalformedBlock | LimitExceeded> =>
  Effect.flatMap(
    WorkScheduler.run(() => statSteps(cid, block)),
    Effect.fromResult
  )

function* statSteps(cid: Cid.Cid, block: Uint8Array): Steps<Result.Result<DagPbStat, MalformedBlock | LimitExceeded>> {
  const scanned = yield* scan(cid, block)
  if (Result.isFailure(scanned)) return Result.fail(scanned.failure)
  const { count, data, sizes } = scanned.success
  // A sum of numbers that is not exact is beyond the bound in any case.
  const cumulativeSize = sizes.reduce<number>((sum, size = 0) => sum + Number(size), block.length)
  if (!Number.isSafeInteger(cumulativeSize)) return beyond(cid)
  const dataSize = data?.length ?? 0
  return Result.succeed({
    cid: Cid.toText(cid),
    links: count,
    blockSize: block.length,
    linksSize: block.length - dataSize,
    dataSize,
    cumulativeSize
  })
}

/**
 * Returns bytes as Go writes them into a JSON string. Each byte that is not part of UTF-8 becomes U+FFFD and is lost.
 *
 * ```ts import.meta.vitest
 * import { DagPbObject } from "@plumbline/ipfs-client"
 *
 * DagPbObject.text(Uint8Array.of(0x61, 0xe2, 0x82)) // => "a\ufffd\ufffd"
 * ```
 */
export const text = (bytes: Uint8Array): string => EntryNames.shown(bytes)

const NOTHING = new Uint8Array(0)

const beyond = (cid: Cid.Cid): Result.Result<never, MalformedBlock> =>
  Result.fail(new MalformedBlock({ cid: Cid.toText(cid), detail: "says sizes beyond 2^53" }))

function* scan(cid: Cid.Cid, block: Uint8Array): Steps<Result.Result<DagPb.Scanned, MalformedBlock | LimitExceeded>> {
  const node = cid.code === IpldCodecs.DAG_PB ? yield* DagPb.scan(block) : Result.fail("another codec")
  return Result.mapError(node, (flaw) => flawed(cid)(typeof flaw === "string" ? "is not a dag-pb node" : flaw))
}
