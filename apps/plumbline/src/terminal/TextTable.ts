/** Formats tables, with each column as wide as its widest cell. */
import type { Style } from "./Style.ts"
import * as TerminalText from "./TerminalText.ts"

/** A column: its title, and its cell of each row. Numbers are aligned to the right. */
export type TableColumn<Row> = readonly [title: string, cell: (row: Row) => string, kind?: "numbers"]

/** Returns the table as lines, with titles above it. Cells can be foreign texts. */
export const lines = <Row>(
  columns: ReadonlyArray<TableColumn<Row>>,
  rows: ReadonlyArray<Row>,
  style: Style
): ReadonlyArray<string> => {
  const cells = columns.map(([, cell]) => rows.map((row) => TerminalText.printable(cell(row))))
  const widths = columns.map(([title], at) =>
    cells[at]!.reduce((most, cell) => Math.max(most, TerminalText.width(cell)), title.length)
  )
  const line = (cellOf: (at: number) => string): string =>
    columns
      .map(([, , kind], at) => {
        const cell = cellOf(at)
        const gap = " ".repeat(widths[at]! - TerminalText.width(cell))
        return kind === "numbers" ? gap + cell : cell + gap
      })
      .join("  ")
      .trimEnd()
  return [
    `  ${style.label(line((at) => columns[at]![0]))}`,
    ...rows.map((_, row) => `  ${line((at) => cells[at]![row]!)}`)
  ]
}
