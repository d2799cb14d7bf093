import type * as Block from "@plumbline/eth-methods/model/Block"

import * as AnswerFields from "../answer/AnswerFields.ts"
import type { InBlock } from "../answer/InBlock.ts"
import * as InBlockView from "../answer/InBlockView.ts"
import type * as ReadAnswer from "../answer/ReadAnswer.ts"
import type { Style } from "../terminal/Style.ts"
import * as TerminalText from "../terminal/TerminalText.ts"
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
  block: ReadAnswer.BlockId | null,
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
      ...TerminalText.flow(
        [
          `number ${number === null ? "null" : Units.grouped(number)}${before}`,
          AnswerFields.row("timestamp", timestamp).text
        ],
        "  ",
        room
      ),
      ...TerminalText.flow(
        [`miner ${miner}`, ...(difficulty === undefined ? [] : [`difficulty ${Units.grouped(difficulty)}`])],
        "  ",
        room
      )
    ].map((line) => indent + line)
  ]
}

const place = (block: ReadAnswer.BlockId | null, claimed: ReadonlySet<string>, style: Style): ReadonlyArray<string> => {
  const rows = InBlockView.rows(block)
  return AnswerFields.lines(rows, { style, claimed, label: AnswerFields.labelWidth(rows) })
}
