/** Nodes of dag-pb as values of the data model. */
import * as Result from "effect/Result"

import * as Cid from "../cid/Cid.ts"
import { STEP, type Steps } from "../work/steps.ts"
import type { Flaw } from "./blockBounds.ts"
import * as DagPb from "./dagPb.ts"
import * as EntryNames from "./entryNames.ts"
import * as IpldValue from "./ipldValue.ts"

/** Reads a node of dag-pb as a value, in steps. A key that the block omits is absent from the value. */
export function* decode(bytes: Uint8Array): Steps<Result.Result<unknown, Flaw>> {
  const node = yield* DagPb.scan(bytes)
  if (Result.isFailure(node)) return Result.fail(node.failure)
  const { data } = node.success
  const Links: Array<unknown> = []
  for (let i = 0; i < node.success.count; i++) {
    if (i % STEP === STEP - 1) yield
    const { cid, name, totalSize } = DagPb.linkOf(node.success, i)
    Links.push({
      Hash: cid,
      ...(name === undefined ? {} : { Name: IpldValue.text(name) }),
      ...(totalSize === undefined ? {} : { Tsize: totalSize })
    })
  }
  return Result.succeed({ ...(data === undefined ? {} : { Data: data }), Links })
}

/**
 * Writes a node of dag-pb. Links may come in any order, and are sorted by their names. Source: the schema of dag-pb, in
 * which `Links` is required.
 */
export function* encode(value: unknown): Steps<Result.Result<Uint8Array, string>> {
  if (!IpldValue.isMap(value)) return notNode("no map")
  const { Data, Links } = value
  if (hasOther(value, NODE)) return notNode("a key that it does not have")
  if (Object.hasOwn(value, "Data") && !(Data instanceof Uint8Array)) return notNode("Data that is not bytes")
  if (!Array.isArray(Links)) return notNode("no list of Links")
  const links: Array<DagPb.PbLink> = []
  for (const link of Links) {
    if (links.length % STEP === STEP - 1) yield
    if (!IpldValue.isMap(link)) return notNode("a link that is not a map")
    const { Hash, Name, Tsize } = link
    if (hasOther(link, LINK)) return notNode("a key of a link that it does not have")
    const cid = Cid.asCid(Hash)
    if (cid === undefined) return notNode("a link without its Hash")
    const name = Object.hasOwn(link, "Name") ? bytesOf(Name) : undefined
    if (Object.hasOwn(link, "Name") && name === undefined) return notNode("a Name that is not a string")
    if (Object.hasOwn(link, "Tsize") && !isSize(Tsize)) return notNode("a Tsize that is not a size")
    links.push({ cid, name, totalSize: isSize(Tsize) ? Tsize : undefined })
  }
  return Result.succeed(yield* DagPb.encodeSteps({ data: Data instanceof Uint8Array ? Data : undefined, links }))
}

const NODE: ReadonlySet<string> = new Set(["Data", "Links"])
const LINK: ReadonlySet<string> = new Set(["Hash", "Name", "Tsize"])

/** True if a map has a key that is not among the known ones. Makes no copy, because a map can have many keys. */
const hasOther = (map: object, known: ReadonlySet<string>): boolean => Object.keys(map).some((key) => !known.has(key))

const bytesOf = (value: unknown): Uint8Array | undefined => {
  if (value instanceof IpldValue.Text) return value.bytes
  const name = typeof value === "string" ? EntryNames.of(value) : undefined
  return name === undefined ? undefined : EntryNames.toBytes(name)
}

/** True for an integer from 0 to 2^63 - 1, the range of Go's `int64` without negative numbers. */
const isSize = (value: unknown): value is number | bigint =>
  (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) ||
  (typeof value === "bigint" && value >= 0n && value < 1n << 63n)

const notNode = (detail: string): Result.Result<never, string> => Result.fail(`not a dag-pb node: ${detail}`)
