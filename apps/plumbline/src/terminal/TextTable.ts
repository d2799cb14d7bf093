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
  const { head, line } = layout(columns, rows, style)
  return [head, ...rows.map(line)]
}

/** Returns the line of titles, and a function from a row to its line. Columns are as wide as the widest of these rows. */
export const layout = <Row>(
  columns: ReadonlyArray<TableColumn<Row>>,
  widest: ReadonlyArray<Row>,
  style: Style
): { readonly head: string; readonly line: (row: Row) => string } => {
  const cellOf = (at: number, row: Row): string => TerminalText.printable(columns[at]![1](row))
  const widths = columns.map(([title], at) =>
    widest.reduce((most, row) => Math.max(most, TerminalText.width(cellOf(at, row))), title.length)
  )
  const line = (cellAt: (at: number) => string): string =>
    columns
      .map(([, , kind], at) => {
        const cell = cellAt(at)
        const gap = " ".repeat(Math.max(0, widths[at]! - TerminalText.width(cell)))
        return kind === "numbers" ? gap + cell : cell + gap
      })
      .join("  ")
      .trimEnd()
  return {
    head: `  ${style.label(line((at) => columns[at]![0]))}`,
    line: (row) => `  ${line((at) => cellOf(at, row))}`
  }
}
