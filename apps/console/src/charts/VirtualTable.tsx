/** A table of any length: only the rows in view are in the page. */
import "./charts.css"
import { type ReactNode, useLayoutEffect, useRef, useState } from "react"

/** The properties of the table. Every row has the same height, so the position of each row is known. */
export interface VirtualTableProps {
  readonly label: string
  readonly head: ReadonlyArray<ReactNode>
  readonly total: number
  readonly row: (index: number) => ReadonlyArray<ReactNode>
  /** The height of the window on the rows, in pixels. Default: 360. */
  readonly height?: number
  /** The first column of right-aligned figures; all later columns are aligned in the same way. Default: 1. */
  readonly figuresFrom?: number
}

/** The height of a row in pixels. The style sheet contains the same value. */
const ROW = 37
/** Tables with up to this many rows are in the page completely, so the browser's own search finds every row. */
const WHOLE = 200
/** Rows above and below the view, so that a quick scroll shows no gap. */
const AROUND = 12

/** The table, with its head in view. */
export const VirtualTable = ({ figuresFrom = 1, head, height = 360, label, row, total }: VirtualTableProps) => {
  const box = useRef<HTMLDivElement>(null)
  const [from, setFrom] = useState(0)
  const isWhole = total <= WHOLE
  const fit = Math.ceil(height / ROW) + 2 * AROUND
  const first = isWhole ? 0 : Math.max(0, Math.min(from - AROUND, total - fit))
  const last = isWhole ? total : Math.min(total, first + fit)
  useLayoutEffect(() => {
    const element = box.current!
    const scrolled = (): void => setFrom(Math.floor(element.scrollTop / ROW))
    scrolled()
    element.addEventListener("scroll", scrolled, { passive: true })
    return () => element.removeEventListener("scroll", scrolled)
  }, [])
  const end = (column: number): string | undefined => (column >= figuresFrom ? "end" : undefined)
  return (
    // focusable, so that the keyboard can scroll the table
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="rows" ref={box} style={{ maxHeight: height }} tabIndex={0} role="region" aria-label={label}>
      <table aria-rowcount={total + 1}>
        <thead>
          <tr>
            {head.map((name, column) => (
              // columns have no unique names, and their order never changes
              // oxlint-disable-next-line react/no-array-index-key
              <th key={column} scope="col" className={end(column)}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {first > 0 ? <tr className="gap" style={{ height: first * ROW }} aria-hidden="true" /> : null}
          {Array.from({ length: last - first }, (_, i) => (
            <tr key={first + i} aria-rowindex={first + i + 2}>
              {row(first + i).map((cell, column) => (
                // oxlint-disable-next-line react/no-array-index-key
                <td key={column} className={end(column)}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
          {last < total ? <tr className="gap" style={{ height: (total - last) * ROW }} aria-hidden="true" /> : null}
        </tbody>
      </table>
    </div>
  )
}
