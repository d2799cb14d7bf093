/** The commands that walk DAGs, and the commands about the whole store. */
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as IpfsPath from "@plumbline/ipfs-client/cid/IpfsPath"
import * as DagLists from "@plumbline/ipfs-client/dag/DagLists"
import { IpfsNodeError, NoLink } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

import { defined, type CommandHandler, invalid, lines, type CommandRequest, value } from "./commandHandler.ts"

/** Handles `refs`. As in Kubo, an error below a root is a line of the answer, and the next path follows. */
export const refs: CommandHandler<"refs"> = Effect.fnUntraced(function* ({ args, format, node, options }) {
  const { edges = false, unique } = options
  const form = options.format || "<dst>"
  if (edges && form !== "<dst>") return yield* invalid("format", "using format argument with edges is not allowed")
  if (form.length > MAX_FORM) return yield* invalid("format", `it is longer than ${MAX_FORM} characters`)
  const roots = yield* Effect.forEach(args, (path) => Effect.map(node.dagResolve(path), ({ cid }) => cid))
  const maxDepth = DagLists.depthOf(options)
  return lines(
    Stream.flatMap(Stream.fromIterable(roots), (root) =>
      node.refs(String(root), { maxDepth, unique }).pipe(
        Stream.map((ref) => ({ ref: DagLists.written(ref, edges ? "<src> -> <dst>" : form, format), error: "" })),
        Stream.catch((error) => Stream.succeed({ ref: "", error: error.message }))
      )
    )
  )
})

/** Maximum length of a form in characters. A form is written once for each link. */
const MAX_FORM = 1024

export const refsLocal: CommandHandler<"refs/local"> = ({ format, node }) =>
  Effect.succeed(lines(Stream.map(node.refsLocal, (cid) => ({ ref: format(cid), error: "" }))))

/** Handles `resolve`. Without `cid-base`, the answer has the base of the question, as in Kubo. */
export const resolve: CommandHandler<"resolve"> = Effect.fnUntraced(function* ({ args, format, node, options }) {
  const { cid, remainder } = yield* node.dagResolve(args[0]!)
  const { cidBase = "" } = options
  const text = cidBase === "" ? inBaseOf(args[0]!, cid) : format(cid)
  return value({ path: ["/ipfs", text, ...(remainder === "" ? [] : [remainder])].join("/") })
})

const inBaseOf = (path: string, cid: Cid.Cid): string => {
  const parts = IpfsPath.split(path)
  const root = Result.isSuccess(parts) ? parts.success.root : ""
  const base = root.startsWith("Q") ? undefined : Cid.baseOf(String.fromCodePoint(root.codePointAt(0) ?? 0))
  return base === undefined ? Cid.toText(cid) : Cid.toText(Cid.toV1(cid), base)
}

export const dagStat: CommandHandler<"dag/stat"> = Effect.fnUntraced(function* ({ args, format, node, options }) {
  const { progress = true } = options
  const roots = yield* Effect.forEach(args, (path) => rootOf(node, path))
  const count = new DagLists.DagCount(roots.length)
  const walked = Stream.flatMap(Stream.fromIterable(roots), (root) =>
    Stream.suspend(() => {
      count.begin(format(root))
      const counted = Stream.map(node.dagBlocks(String(root)), ({ cid, size }) => count.add(cid, size))
      return progress ? counted : Stream.drain(counted)
    })
  )
  return lines(Stream.concat(walked, Stream.fromEffect(Effect.sync(() => count.end()))))
})

const rootOf = Effect.fnUntraced(function* (node: CommandRequest<"dag/stat">["node"], path: string) {
  const { cid, remainder } = yield* node.dagResolve(path)
  if (remainder === "") return cid
  return yield* new IpfsNodeError({ reason: new NoLink({ cid: Cid.toText(cid), name: remainder.split("/")[0]! }) })
})

export const pinVerify: CommandHandler<"pin/verify"> = Effect.fnUntraced(function* ({ format, node, options }) {
  const { quiet = false, verbose = false } = options
  if (quiet && verbose) {
    return yield* invalid("option", "the --verbose and --quiet options can not be used at the same time")
  }
  return lines(
    node.pinVerify.pipe(
      Stream.filter(({ bad }) => verbose || bad.length > 0),
      Stream.map(({ bad, cid }) => ({
        cid: format(cid),
        ...defined({ ok: bad.length === 0 ? true : undefined, bad: bad.length === 0 || quiet ? undefined : bad })
      }))
    )
  )
})

export const repoStat: CommandHandler<"repo/stat"> = Effect.fnUntraced(function* ({ node, options }) {
  const { blocks, bytes, limit } = yield* node.repoStat
  const isWhole = options.sizeOnly !== true
  const version = isWhole ? `fs-repo@${(yield* node.version).repo}` : ""
  // only the operator may know the folder of the store
  return value({ bytes, limit, blocks: isWhole ? blocks : 0, path: "", version })
})
