/** A table of any length: only the rows in view are in the page. */
import "./charts.css"
import { type ReactNode, useLayoutEffect, useRef, useState } from "react"

import { Table, type TableColumn, TableRow } from "../look/Table.tsx"

/**
 * The properties of the table. Every row has the same height, so the position of each row is known. Where the rows are
 * cards, that is the height of the tallest card that was in the page. The table keeps its place when rows come and go; a
 * filter is its `key`, so that other rows begin at the top.
 */
export interface VirtualTableProps {
  readonly label: string
  readonly head: ReadonlyArray<TableColumn>
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
  const [pitch, setPitch] = useState(ROW)
  const isWhole = total <= WHOLE
  const fit = Math.ceil(height / pitch) + 2 * AROUND
  const first = isWhole ? 0 : Math.max(0, Math.min(from - AROUND, total - fit))
  const last = isWhole ? total : Math.min(total, first + fit)
  /** The row at the upper edge, with its part above the edge as a fraction, or "end" if the last row is in view. */
  const top = useRef<number | "end">(0)
  useLayoutEffect(() => {
    const element = box.current!
    // the row at the edge stays there when the height of the rows changes
    element.scrollTop = top.current === "end" ? element.scrollHeight : Math.round(top.current * pitch)
    const scrolled = (): void => {
      const { clientHeight, scrollHeight, scrollTop } = element
      top.current = scrollTop > 0 && scrollTop + clientHeight >= scrollHeight - 1 ? "end" : scrollTop / pitch
      setFrom(Math.floor(scrollTop / pitch))
    }
    // at once: a taller row on the way would end the motion of the browser
    const jump = (event: KeyboardEvent): void => {
      if (event.target !== element || (event.key !== "Home" && event.key !== "End")) return
      event.preventDefault()
      element.scrollTop = event.key === "Home" ? 0 : element.scrollHeight
    }
    scrolled()
    element.addEventListener("scroll", scrolled, { passive: true })
    element.addEventListener("keydown", jump)
    return () => {
      element.removeEventListener("scroll", scrolled)
      element.removeEventListener("keydown", jump)
    }
  }, [pitch])
  // after each drawing, because any can bring a taller row; the height only grows, so the drawings end
  // oxlint-disable-next-line react-hooks/exhaustive-deps
  useLayoutEffect(() => {
    if (isWhole) return
    const tallest = Math.max(...[...box.current!.querySelectorAll<HTMLElement>("[data-card]")].map(heightOf))
    if (tallest > pitch) setPitch(tallest)
  })
  // another width is measured anew, also if the rows had the usual height before
  const [, setWidth] = useState(0)
  useLayoutEffect(() => {
    const element = box.current!
    let width = element.offsetWidth
    const watcher = new ResizeObserver(() => {
      if (element.offsetWidth === width) return
      width = element.offsetWidth
      setWidth(width)
      setPitch(ROW)
    })
    watcher.observe(element)
    return () => watcher.disconnect()
  }, [])
  const columns = head.map((column, at) => {
    const { className, ...named } = typeof column === "string" ? { name: column, className: undefined } : column
    return { ...named, className: at >= figuresFrom ? `${className ?? ""} end`.trim() : className }
  })
  const gap = (rows: number): ReactNode =>
    rows > 0 ? <tr className="gap" style={{ height: rows * pitch }} aria-hidden="true" /> : null
  return (
    // focusable, so that the keyboard can scroll the table
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="rows" ref={box} style={{ maxHeight: height }} tabIndex={0} role="region" aria-label={label}>
      <Table columns={columns} aria-rowcount={total + 1}>
        {gap(first)}
        {Array.from({ length: last - first }, (_, i) => (
          <TableRow
            key={first + i}
            aria-rowindex={first + i + 2}
            data-card={isWhole ? undefined : ""}
            style={isWhole ? undefined : { minHeight: pitch }}
            cells={row(first + i)}
          />
        ))}
        {gap(total - last)}
      </Table>
    </div>
  )
}

/** Returns the height of a row in pixels. A row of a table has the usual one; only a card can be taller. */
const heightOf = (row: HTMLElement): number => (getComputedStyle(row).display === "block" ? row.offsetHeight : ROW)
