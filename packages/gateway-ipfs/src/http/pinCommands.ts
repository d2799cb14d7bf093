/** The commands about pins. */
import type { Pin, PinLsOptions } from "@plumbline/ipfs-client/node/IpfsNode"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

import { collectAtMost, defined, type CommandHandler, invalid, lines, value } from "./commandHandler.ts"

/**
 * Handles `pin/add`. With `progress` the caller asks for a stream of the progress, which the node does not report. So
 * the stream only says every 500 ms that the work continues, as in Kubo. Otherwise a client or a proxy could time out.
 */
export const pinAdd: CommandHandler<"pin/add"> = Effect.fnUntraced(function* ({ args, format, node, options }) {
  const { name, progress = false, recursive } = options
  const pinned = Effect.map(
    Effect.forEach(args, (path) => node.pinAdd(path, { name, recursive })),
    (cids) => ({ pins: cids.map(format) })
  )
  if (!progress) return value(yield* pinned)
  const atWork = Stream.map(Stream.drop(Stream.tick(PROGRESS), 1), () => ({ blocks: 0, bytes: 0 }))
  return lines(Stream.merge(atWork, Stream.fromEffect(pinned), { haltStrategy: "right" }))
})

const PROGRESS = "500 millis"

export const pinRm: CommandHandler<"pin/rm"> = ({ args, format, node, options }) =>
  Effect.map(
    Effect.forEach(args, (path) => node.pinRm(path, { recursive: options.recursive })),
    (cids) => value({ pins: cids.map(format) })
  )

export const pinLs: CommandHandler<"pin/ls"> = Effect.fnUntraced(function* ({ args, format, limits, node, options }) {
  const { name, stream = false, type = "all" } = options
  // as in Kubo, a search by name implies `names`
  const isNamed = options.names === true || (name !== undefined && name !== "")
  if (!isType(type)) {
    const shown = type.slice(0, 40)
    return yield* invalid("type", `invalid type '${shown}', must be one of {direct, indirect, recursive, all}`)
  }
  const pins = node.pinLs(args, { type, name })
  /**
   * Returns the type of a pin. If the caller listed CIDs, the type of an indirect pin also names the pin that reaches
   * its CID.
   */
  const typeOf = (pin: Pin): string =>
    pin.through !== undefined && args.length > 0 ? `indirect through ${format(pin.through)}` : pin.type
  if (stream) {
    return lines(
      Stream.map(pins, (pin) => ({
        cid: format(pin.cid),
        type: typeOf(pin),
        ...defined({ name: isNamed && pin.name !== "" ? pin.name : undefined })
      }))
    )
  }
  const all = yield* collectAtMost(pins, limits.listed)
  return value({ pins: all.map((pin) => ({ cid: format(pin.cid), type: typeOf(pin), name: isNamed ? pin.name : "" })) })
})

const isType = (text: string): text is NonNullable<PinLsOptions["type"]> =>
  ["direct", "indirect", "recursive", "all"].includes(text)

export const pinUpdate: CommandHandler<"pin/update"> = ({ args, format, node, options }) =>
  Effect.map(node.pinUpdate(args[0]!, args[1]!, { unpin: options.unpin }), (pins) => value({ pins: pins.map(format) }))
