/**
 * A table that fits into every width. On a narrow screen each row is a card, in which each value stands beside the name
 * of its column, so no column is out of view.
 */
// oxlint-disable jsx-a11y/no-redundant-roles, jsx-a11y/no-interactive-element-to-noninteractive-role -- see `Table`
import "./table.css"
import { type ComponentProps, createContext, type ReactNode, useContext } from "react"

/** A column: its name, or its name with the class of its cells. */
export type TableColumn =
  | string
  | {
      readonly name: string
      readonly className?: string | undefined
      /** True if the name is for screen readers only, because the cells say what they are. Default: false. */
      readonly isSpoken?: boolean
    }

const Columns = createContext<ReadonlyArray<Exclude<TableColumn, string>>>([])

/** The table. Its `children` are `TableRow`s, and may be components that return one. */
export const Table = ({
  children,
  columns,
  isHeadSpoken = false,
  isLines = false,
  ...table
}: ComponentProps<"table"> & {
  readonly columns: ReadonlyArray<TableColumn>
  /** True if the whole head is for screen readers only. Default: false. */
  readonly isHeadSpoken?: boolean
  /** True for a row in one line on narrow screens too: columns of the class `aside` are then left out. Default: false. */
  readonly isLines?: boolean
}) => {
  const form = isLines ? "lines" : "cards"
  const named = columns.map((column) => (typeof column === "string" ? { name: column } : column))
  return (
    // the roles are those of the elements: a browser may drop them where the style sheet lays the rows out as cards
    <table role="table" {...table} className={table.className === undefined ? form : `${form} ${table.className}`}>
      <thead role="rowgroup" className={isHeadSpoken ? "spoken" : undefined}>
        <tr role="row">
          {named.map(({ className, isSpoken, name }, column) => (
            // names may repeat, and the order of the columns never changes
            // oxlint-disable-next-line react/no-array-index-key
            <th key={column} role="columnheader" scope="col" className={className?.match(OF_HEAD)?.join(" ")}>
              {isSpoken === true ? <span className="spoken">{name}</span> : name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        <Columns value={named}>{children}</Columns>
      </tbody>
    </table>
  )
}

/** The classes of cells that their column's head has too. */
const OF_HEAD = /end|aside/gu

/** A row of a `Table`, with a cell for each column. */
export const TableRow = ({ cells, ...row }: ComponentProps<"tr"> & { readonly cells: ReadonlyArray<ReactNode> }) => {
  const columns = useContext(Columns)
  return (
    <tr role="row" {...row}>
      {columns.map(({ className, isSpoken, name }, column) => (
        // oxlint-disable-next-line react/no-array-index-key
        <td key={column} role="cell" className={className} data-label={isSpoken === true ? undefined : name}>
          {cells[column]}
        </td>
      ))}
    </tr>
  )
}

/** A row with one heading for the rows after it. */
export const TableGroup = ({ children, ...row }: ComponentProps<"tr">) => (
  <tr role="row" {...row}>
    <th role="rowheader" colSpan={useContext(Columns).length} scope="rowgroup">
      {children}
    </th>
  </tr>
)
