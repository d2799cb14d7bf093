/** The commands about blocks and IPLD data. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

import { bytes, eachPart, type CommandHandler, lines, unsupported, value, wholeParts } from "./commandHandler.ts"

export const blockGet: CommandHandler<"block/get"> = ({ args, node }) =>
  Effect.map(node.blockGet(args[0]!), (block) => bytes(Stream.succeed(block)))

export const blockStat: CommandHandler<"block/stat"> = ({ args, format, node }) =>
  Effect.map(node.blockStat(args[0]!), ({ cid, size }) => value({ cid: format(cid), size }))

export const blockPut: CommandHandler<"block/put"> = ({ format, node, options, ...request }) =>
  Effect.succeed(
    lines(
      wholeParts(request, (block) =>
        Effect.map(node.blockPut(block, options), ({ cid, size }) => ({ cid: format(cid), size }))
      )
    )
  )

export const blockRm: CommandHandler<"block/rm"> = ({ args, format, node, options }) =>
  Effect.succeed(
    lines(
      Stream.flatMap(Stream.fromIterable(args), (path) =>
        Stream.unwrap(
          Effect.gen(function* () {
            const { cid } = yield* node.dagResolve(path)
            const removed = yield* Effect.result(node.blockRm(String(cid), { force: options.force }))
            const hash = format(cid)
            if (Result.isFailure(removed)) return Stream.succeed({ cid: hash, error: removed.failure.message })
            return options.quiet === true ? Stream.empty : Stream.succeed({ cid: hash })
          })
        )
      )
    )
  )

export const dagGet: CommandHandler<"dag/get"> = ({ args, node, options }) =>
  Effect.map(node.dagGet(args[0]!, options.outputCodec), (data) => bytes(Stream.succeed(data)))

export const dagPut: CommandHandler<"dag/put"> = ({ format, node, options, ...request }) =>
  Effect.succeed(
    lines(wholeParts(request, (data) => Effect.map(node.dagPut(data, options), (cid) => ({ cid: format(cid) }))))
  )

export const dagResolve: CommandHandler<"dag/resolve"> = ({ args, format, node }) =>
  Effect.map(node.dagResolve(args[0]!), ({ cid, remainder }) => value({ cid: format(cid), remainder }))

export const dagExport: CommandHandler<"dag/export"> = Effect.fnUntraced(function* ({ args, node, options }) {
  yield* unsupported({ "local-only": options.localOnly === true })
  return bytes(node.dagExport(args[0]!))
})

export const dagImport: CommandHandler<"dag/import"> = Effect.fnUntraced(function* ({ format, node, options, parts }) {
  const { allowBigBlock = false, localOnly = false, pinRoots = true, silent = false, stats = false } = options
  yield* unsupported({ "allow-big-block": allowBigBlock, "local-only": localOnly && pinRoots })
  let blocks = 0
  let size = 0
  const imported = eachPart(parts, (part) => node.dagImport(part.bytes, { pinRoots }))
  const said = Stream.flatMap(imported, (one) => {
    blocks += one.blocks
    size += one.bytes
    // As in Kubo, roots are reported only with `pin-roots`.
    return Stream.fromIterable(
      pinRoots ? one.roots.map(({ cid, pinError }) => ({ root: { cid: format(cid), pinError } })) : []
    )
  })
  if (silent) return lines(Stream.drain(said))
  const last = Stream.suspend(() => Stream.fromIterable(stats ? [{ stats: { blocks, bytes: size } }] : []))
  return lines(Stream.concat<unknown, Stream.Error<typeof said>, never, unknown, never, never>(said, last))
})
