/**
 * The commands about dag-pb nodes. Current IPFS nodes no longer have these commands, so the gateway reads and writes
 * blocks instead.
 *
 * Source: Kubo 0.27 `core/commands/object`.
 */
import { UploadError } from "@plumbline/gateway/GatewayInternals"
import * as Block from "@plumbline/ipfs-client/block/Block"
import type { LimitExceeded, MalformedBlock } from "@plumbline/ipfs-client/block/DagError"
import * as DagPbObject from "@plumbline/ipfs-client/block/DagPbObject"
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as DagCodec from "@plumbline/ipfs-client/codec/DagCodec"
import type { IpfsNodeCommands } from "@plumbline/ipfs-client/node/IpfsNode"
import { fromBlockError, IpfsNodeError, NoLink } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as WorkScheduler from "@plumbline/ipfs-client/work/WorkScheduler"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

import { bytes, type CommandHandler, invalid, value } from "./commandHandler.ts"
import * as MultipartUpload from "./multipartUpload.ts"

export const objectGet: CommandHandler<"object/get"> = Effect.fnUntraced(function* ({
  args,
  encoding,
  format,
  node,
  options
}) {
  const { dataEncoding = "base64" } = options
  if (dataEncoding !== "base64" && dataEncoding !== "text") {
    return yield* invalid("data-encoding", `unknown data field encoding ${JSON.stringify(dataEncoding.slice(0, 40))}`)
  }
  const [cid, block] = yield* nodeAt(node, args[0]!)
  if (encoding === "protobuf") return bytes(Stream.succeed(block), { contentType: "application/protobuf" })
  const { data, links } = yield* Effect.mapError(DagPbObject.getEffect(cid, block, dataEncoding), fromBlockError)
  const formatted = yield* WorkScheduler.run(function* (): WorkScheduler.Steps<ReadonlyArray<DagPbObject.DagPbLink>> {
    const done: Array<DagPbObject.DagPbLink> = []
    for (const link of links) {
      if (done.length % LINKS_AT_ONCE === LINKS_AT_ONCE - 1) yield
      done.push({ ...link, cid: format(Cid.fromTextUnsafe(link.cid)) })
    }
    return done
  })
  return value({ data, links: formatted })
})

/** Number of links whose CIDs are written in one step. */
const LINKS_AT_ONCE = 128

export const objectData: CommandHandler<"object/data"> = Effect.fnUntraced(function* ({ args, node }) {
  const [cid, block] = yield* nodeAt(node, args[0]!)
  return bytes(Stream.succeed(yield* checked(DagPbObject.data(cid, block))))
})

export const objectStat: CommandHandler<"object/stat"> = Effect.fnUntraced(function* ({ args, format, node }) {
  const [cid, block] = yield* nodeAt(node, args[0]!)
  return value({ ...(yield* Effect.mapError(DagPbObject.statEffect(cid, block), fromBlockError)), cid: format(cid) })
})

export const objectPut: CommandHandler<"object/put"> = Effect.fnUntraced(function* (request) {
  const { budget, format, limits, node, options, parts } = request
  const part = yield* parts.next
  if (part === undefined) return yield* MultipartUpload.noFile
  return yield* MultipartUpload.withWhole(part, { budget, limit: limits.blockBytes }, (sent) =>
    Effect.gen(function* () {
      if ((yield* parts.next) !== undefined) {
        return yield* new UploadError({ detail: "expected one file, received more" })
      }
      const block = yield* protobufOf(sent, options.inputenc ?? "json", options.datafieldenc ?? "text")
      const { cid } = yield* node.blockPut(block, { format: "v0", pin: options.pin })
      return value({ cid: format(cid) })
    })
  )
})

const nodeAt = Effect.fnUntraced(function* (node: IpfsNodeCommands, path: string) {
  const { cid, remainder } = yield* node.dagResolve(path)
  if (remainder !== "") {
    return yield* new IpfsNodeError({ reason: new NoLink({ cid: Cid.toText(cid), name: remainder.split("/")[0]! }) })
  }
  const found: readonly [cid: Cid.Cid, block: Uint8Array] = [cid, yield* node.blockGet(Cid.toText(cid))]
  return found
})

const checked = <A>(read: Result.Result<A, MalformedBlock | LimitExceeded>) =>
  Effect.mapError(Effect.fromResult(read), fromBlockError)

/** A dag-pb node as JSON. Members that Go leaves out are null or absent. Each link is checked on its own, in steps. */
const Sent = Schema.Struct({
  Data: Schema.optionalKey(Schema.NullOr(Schema.String)),
  Links: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.Unknown)))
})

const SentLink = Schema.Struct({
  Name: Schema.optionalKey(Schema.String),
  Hash: Cid.CidText,
  Size: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)))
})

const decodeSent = Schema.decodeUnknownResult(Sent)

const decodeLink = Schema.decodeUnknownResult(SentLink)

/** Reads the links of a sent node, in steps. Returns null if one is not a link. */
function* linksOf(sent: ReadonlyArray<unknown>): WorkScheduler.Steps<ReadonlyArray<DagPbObject.DagPbLink> | null> {
  const links: Array<DagPbObject.DagPbLink> = []
  for (const one of sent) {
    if (links.length % LINKS_AT_ONCE === LINKS_AT_ONCE - 1) yield
    const link = decodeLink(one)
    if (Result.isFailure(link)) return null
    const { Hash, Name = "", Size = 0 } = link.success
    links.push({ cid: Hash, name: Name, size: Size })
  }
  return links
}

/** Returns the block of a dag-pb node that the caller sent, as a block or as JSON. */
const protobufOf = Effect.fnUntraced(function* (sent: Uint8Array, inputenc: string, datafieldenc: string) {
  if (datafieldenc !== "text" && datafieldenc !== "base64") {
    return yield* invalid("datafieldenc", `unknown data field encoding ${JSON.stringify(datafieldenc.slice(0, 40))}`)
  }
  if (inputenc === "protobuf") {
    yield* checked(DagPbObject.data(NO_CID, sent))
    return sent
  }
  if (inputenc !== "json") {
    return yield* invalid("inputenc", `unknown object encoding ${JSON.stringify(inputenc.slice(0, 40))}`)
  }
  const value = yield* Effect.mapError(DagCodec.parseJson(sent), (detail) => notNode(`: ${detail}`))
  const decoded = decodeSent(value)
  if (Result.isFailure(decoded)) return yield* notNode()
  const { Data, Links } = decoded.success
  if (Links && Links.length > Block.MAX_LINKS) return yield* notNode(`: more than ${Block.MAX_LINKS} links`)
  const links = yield* WorkScheduler.run(() => linksOf(Links ?? []))
  if (links === null) return yield* notNode()
  const block = yield* DagPbObject.putEffect({ data: Data ?? "", links }, datafieldenc)
  return block === undefined ? yield* notNode(": Data is not base64") : block
})

const notNode = (detail = ""): IpfsNodeError =>
  invalid("object", `not a node as JSON in UTF-8, with Data and Links${detail}`)

/** A placeholder for a CID that is not known yet: the CID of an empty dag-pb node. */
const NO_CID = Cid.fromTextUnsafe("QmdfTbBqBPQ7VNxZEYEj14VmRuZBkqFbiwReogJgS1zR1n")
