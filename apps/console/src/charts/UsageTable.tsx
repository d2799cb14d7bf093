/** A table of usage: the rows with the most calls, with their shares, and a row for all others. */
import type { ReactNode } from "react"

import { Table, TableRow } from "../look/Table.tsx"
import { grouped } from "../look/TextFormats.ts"
import { REST } from "./stackedLines.ts"
import { restOf } from "./UsedMethod.tsx"

/** Calls and their credits. */
interface UsageCounts {
  readonly calls: bigint
  readonly credits: bigint
}

/** The table. It ends with a row for what the rows leave out of the totals, so that the numbers add up to them. */
export const UsageTable = <Row extends UsageCounts>({
  cells,
  empty,
  head,
  rows,
  totals
}: {
  /** The names of the columns. `Share`, `Calls`, `Errors` and `Credits` are filled in here. */
  readonly head: ReadonlyArray<string>
  readonly rows: ReadonlyArray<Row>
  readonly totals: UsageCounts
  /** The text in place of a table without rows. */
  readonly empty: string
  /** Returns the key of a row, the number of its calls that went wrong, and its cells by the names of their columns. */
  readonly cells: (row: Row) => {
    readonly key: string
    readonly errors?: bigint
    readonly own: Readonly<Record<string, ReactNode>>
  }
}) => {
  if (rows.length === 0) return <p className="inset soft">{empty}</p>
  const rest = restOf(rows, totals)
  const shown = [
    ...rows.map((row) => ({ counts: row as UsageCounts, ...cells(row) })),
    ...(rest === undefined
      ? []
      : [{ counts: rest, key: REST, errors: undefined, own: { [head[0]!]: <i className="soft">{REST}</i> } }])
  ]
  const all = Math.max(1, Number(totals.calls))
  return (
    <Table isLines columns={head.map((name) => ({ name, className: CLASSES.get(name) }))}>
      {shown.map(({ counts: { calls, credits }, errors, key, own }) => {
        const known: Readonly<Record<string, ReactNode>> = {
          ...own,
          Share: <Share part={Number(calls) / all} />,
          Calls: calls === 0n ? "–" : grouped(calls),
          Errors: errors === undefined ? "–" : errors === 0n ? "0" : <b className="refuted">{grouped(errors)}</b>,
          Credits: grouped(credits)
        }
        return <TableRow key={key} cells={head.map((name) => known[name] ?? "–")} />
      })}
    </Table>
  )
}

/** Shows the part of a row in all calls: a bar, and the number for screen readers. */
const Share = ({ part }: { readonly part: number }) => (
  <>
    <i style={{ width: `${(part * 100).toFixed(1)}%` }} />
    <span className="part">
      {part === 1 ? 100 : (part * 100).toFixed(1)} %<span className="spoken"> of all calls</span>
    </span>
  </>
)

/** The classes of the columns, by name. */
const CLASSES: ReadonlyMap<string, string> = new Map([
  ["Network", "soft aside"],
  ["Share", "share"],
  ["Calls", "end"],
  ["Errors", "end"],
  ["Credits", "end soft"],
  ["9 of 10 within", "end soft aside"]
])
