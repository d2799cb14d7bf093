/** Formats the lines of a watch. */
import * as Quantity from "@plumbline/codec/value/Quantity"
import * as Block from "@plumbline/eth-methods/model/Block"
import * as Log from "@plumbline/eth-methods/model/Log"
import type * as ChainWatch from "@plumbline/eth-methods/verified/ChainWatch"
import type * as HeadWatch from "@plumbline/eth-methods/verified/HeadWatch"
import type * as LogWatch from "@plumbline/eth-methods/verified/LogWatch"
import type * as Anchor from "@plumbline/verdict/Anchor"
import { toJson } from "@plumbline/verdict/Anchor"
import * as Schema from "effect/Schema"

import * as AnswerFields from "../answer/AnswerFields.ts"
import type { Style } from "../terminal/Style.ts"
import * as TerminalText from "../terminal/TerminalText.ts"
import * as Units from "../terminal/Units.ts"
import type { WatchLine } from "./CursorFile.ts"

const standing = ({ anchor, verdict }: ChainWatch.WatchStanding) => ({ verdict, anchor: toJson(anchor) })

/** Returns the line of a block. */
export const head = (item: HeadWatch.HeadItem): WatchLine =>
  item._tag === "Head"
    ? { ...standing(item), head: encodeHeader(item.header) }
    : { ...standing(item), head: { number: Quantity.toHex(item.block.number), hash: item.block.hash }, removed: true }

/**
 * Returns the line of a log, or of the logs of a block that left the chain. Such logs are named by their block, because
 * its node may have deleted them; `logs` is their number.
 */
export const log = (item: Exclude<LogWatch.LogItem, { readonly _tag: "Reached" }>): WatchLine => {
  if (item._tag === "Log") return { ...standing(item), log: encodeLog(item.log) }
  const { block, logs } = item
  const place = { blockNumber: Quantity.toHex(block.number), blockHash: block.hash }
  return { ...standing(item), log: place, removed: true, logs }
}

const encodeHeader = Schema.encodeSync(Block.Header)
const encodeLog = Schema.encodeSync(Log.Log)

/** The fields of a line that text shows. */
interface ShownLine {
  readonly verdict?: unknown
  readonly anchor?: Partial<ReturnType<typeof Anchor.toJson>>
  readonly head?: { readonly number?: unknown; readonly hash?: unknown }
  readonly log?: {
    readonly address?: unknown
    readonly blockHash?: unknown
    readonly blockNumber?: unknown
    readonly logIndex?: unknown
    readonly transactionHash?: unknown
    readonly topics?: ReadonlyArray<unknown>
    readonly data?: unknown
  }
  readonly removed?: unknown
  readonly logs?: unknown
}

/** Returns a line as text: its verdict, the thing, and the finality of the block that proves it. */
export const text = (line: WatchLine, style: Style): string => {
  const { anchor, head, log, logs, removed, verdict } = line as ShownLine
  const finality = anchor?.["finality"] ?? anchor?.["state"]
  const isGone = removed === true
  const what =
    head !== undefined
      ? [`block ${numberOf(head.number)}`, head.hash]
      : isGone
        ? [`block ${numberOf(log?.blockNumber)}`, log?.blockHash, `${String(logs)} told`]
        : [
            `block ${numberOf(log?.blockNumber)} log ${numberOf(log?.logIndex)}`,
            typeof log?.transactionHash === "string" ? `transaction ${log.transactionHash}` : undefined,
            log?.address,
            ...(log?.topics ?? []),
            typeof log?.data === "string" ? `data ${AnswerFields.data(log.data)}` : undefined
          ]
  const parts = [...(isGone ? ["removed"] : []), ...what, finality].filter((part) => typeof part === "string")
  const paint = verdict === "VERIFIED" ? style.good : style.doubtful
  return `${paint(TerminalText.printable(String(verdict)))}  ${TerminalText.printable(parts.join("  "))}`
}

const numberOf = (wire: unknown): string =>
  typeof wire === "string" && /^0x[0-9a-f]{1,16}$/iu.test(wire) ? Units.grouped(BigInt(wire)) : "?"
