/** Formats uncles as text. */
import type * as Block from "@plumbline/eth-methods/model/Block"

import type * as Answer from "../answer/Answer.ts"
import * as Fields from "../answer/Fields.ts"
import type { InBlock } from "../answer/InBlock.ts"
import * as InBlockView from "../answer/InBlockView.ts"
import type { Style } from "../terminal/Style.ts"
import * as Text from "../terminal/Text.ts"
import * as Units from "../terminal/Units.ts"
import * as BlockView from "./BlockView.ts"

/** Formats one uncle with all fields. */
export const view = (
  { block, value }: InBlock<Block.Uncle | null>,
  index: bigint,
  claimed: ReadonlySet<string>,
  style: Style
): ReadonlyArray<string> => {
  const name = `${Units.grouped(index)} of ${InBlockView.name(block)}`
  if (value === null) return [style.title(`No uncle ${name}`), "", ...place(block, claimed, style)]
  const { uncles = [] } = value
  return [
    style.title(`Uncle ${name}`),
    ...BlockView.header(value, claimed, style, InBlockView.rows(block)),
    ...BlockView.uncles(uncles, claimed, style)
  ]
}

/** Formats all uncles of a block, in a few lines each. */
export const list = (
  { block, value }: InBlock<ReadonlyArray<Block.Uncle>>,
  claimed: ReadonlySet<string>,
  style: Style
): ReadonlyArray<string> => [
  style.title(`Uncles of ${InBlockView.name(block)}`),
  "",
  ...place(block, claimed, style),
  "",
  `  ${style.label("uncles")}  ${value.length === 0 ? "none" : Units.grouped(BigInt(value.length))}`,
  ...value.flatMap((uncle, index) => summary(uncle, index, block, style))
]

const summary = (
  uncle: Block.Uncle,
  index: number,
  block: Answer.BlockId | null,
  style: Style
): ReadonlyArray<string> => {
  const indent = " ".repeat(7)
  const { difficulty, miner, number, timestamp } = uncle
  const before =
    block === null || number === null ? "" : `, ${Units.count(Number(block.number - number), "block")} before`
  const room = style.columns - indent.length
  return [
    `  ${style.faint(String(index).padStart(3))}  ${uncle.hash}`,
    ...[
      ...Text.flow(
        [
          `number ${number === null ? "null" : Units.grouped(number)}${before}`,
          Fields.row("timestamp", timestamp).text
        ],
        "  ",
        room
      ),
      ...Text.flow(
        [`miner ${miner}`, ...(difficulty === undefined ? [] : [`difficulty ${Units.grouped(difficulty)}`])],
        "  ",
        room
      )
    ].map((line) => indent + line)
  ]
}

const place = (block: Answer.BlockId | null, claimed: ReadonlySet<string>, style: Style): ReadonlyArray<string> => {
  const rows = InBlockView.rows(block)
  return Fields.lines(rows, { style, claimed, label: Fields.labelWidth(rows) })
}
