/** Formats tables, with each column as wide as its widest cell. */
import type { Style } from "./Style.ts"
import * as TerminalText from "./TerminalText.ts"

/** A column: its title, and true if its cells are numbers, which are aligned to the right. */
export interface TableColumn {
  readonly title: string
  readonly numbers?: boolean
}

/** Returns the table as lines, with titles above it. The caller makes the cells safe to print. */
export const lines = (
  columns: ReadonlyArray<TableColumn>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  style: Style
): ReadonlyArray<string> => {
  const widths = columns.map(({ title }, at) =>
    rows.reduce((most, row) => Math.max(most, TerminalText.width(row[at] ?? "")), title.length)
  )
  const line = (cells: ReadonlyArray<string>): string =>
    columns
      .map(({ numbers = false }, at) => {
        const cell = cells[at] ?? ""
        const gap = " ".repeat((widths[at] ?? 0) - TerminalText.width(cell))
        return numbers ? gap + cell : cell + gap
      })
      .join("  ")
      .trimEnd()
  return [`  ${style.label(line(columns.map(({ title }) => title)))}`, ...rows.map((row) => `  ${line(row)}`)]
}
