/** A long list of transactions. Only the visible rows are in the page. */
import { type KeyboardEvent, useEffect, useRef, useState } from "react"

import { Hash } from "../look/Hash.tsx"
import { grouped } from "../look/TextFormats.ts"
import { VerdictWord } from "../look/VerdictMark.tsx"
import type { PendingVerdict, PendingRow } from "./Watch.ts"

/** The height of a row, in pixels: the same as in the stylesheet. */
const HEIGHT = 44

/** Number of rows above and below the visible rows that are also in the page, so that a fast scroll shows no gap. */
const MARGIN = 12

/** The list. `open` is the hash of the open transaction. */
export const PendingRows = ({
  linkOf,
  onOpen,
  open,
  rows,
  verdicts
}: {
  readonly rows: ReadonlyArray<PendingRow>
  readonly verdicts: ReadonlyMap<string, PendingVerdict>
  readonly open: string | undefined
  readonly linkOf: (row: PendingRow) => string
  readonly onOpen: (row: PendingRow) => void
}) => {
  const box = useRef<HTMLDivElement>(null)
  const [sight, setSight] = useState({ top: 0, height: 600 })
  useEffect(() => {
    const { current } = box
    if (current === null) return undefined
    const look = (): void => setSight({ top: current.scrollTop, height: current.clientHeight })
    const sized = new ResizeObserver(look)
    sized.observe(current)
    current.addEventListener("scroll", look, { passive: true })
    return () => {
      sized.disconnect()
      current.removeEventListener("scroll", look)
    }
  }, [])
  const first = Math.max(0, Math.floor(sight.top / HEIGHT) - MARGIN)
  const last = Math.min(rows.length, Math.ceil((sight.top + sight.height) / HEIGHT) + MARGIN)
  const selected = rows.findIndex(({ hash }) => hash === open)
  const step = (event: KeyboardEvent): void => {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key]
    const at = event.key === "Home" ? 0 : event.key === "End" ? rows.length - 1 : by === undefined ? -1 : selected + by
    if (at === -1 && by === undefined) return
    const next = rows[Math.min(rows.length - 1, Math.max(0, at))]
    if (next === undefined) return
    event.preventDefault()
    const y = rows.indexOf(next) * HEIGHT
    const { current } = box
    if (current !== null) {
      if (y < current.scrollTop) current.scrollTop = y
      else if (y + HEIGHT > current.scrollTop + current.clientHeight) {
        current.scrollTop = y + HEIGHT - current.clientHeight
      }
    }
    onOpen(next)
  }
  return (
    <div
      ref={box}
      className="pending-rows"
      role="grid"
      aria-label="Pending transactions"
      aria-rowcount={rows.length + 1}
      tabIndex={0}
      onKeyDown={step}
    >
      <div role="rowgroup" className="pending-head">
        <div role="row" aria-rowindex={1} className="pending-row">
          <span role="columnheader">Verdict</span>
          <span role="columnheader">Hash</span>
          <span role="columnheader">Type</span>
          <span role="columnheader" className="wide">
            Account
          </span>
          <span role="columnheader" className="wide end">
            Felts
          </span>
        </div>
      </div>
      <div role="rowgroup" className="pending-body" style={{ height: rows.length * HEIGHT }}>
        {rows.slice(first, last).map((row, i) => {
          const at = first + i
          const judged = verdicts.get(row.id)
          return (
            <div
              key={row.id}
              role="row"
              aria-rowindex={at + 2}
              className={`pending-row${at === selected ? " chosen" : ""}`}
              style={{ top: at * HEIGHT }}
            >
              <span role="gridcell">
                {judged === undefined ? (
                  <span className="quiet small">hashing</span>
                ) : (
                  <VerdictWord word={judged.word} />
                )}
              </span>
              <span role="gridcell">
                <Hash hex={row.hash} link={{ href: linkOf(row) }} />
              </span>
              <span role="gridcell" className="kind">
                {row.type} <span className="quiet">{versionOf(row.version)}</span>
              </span>
              <span role="gridcell" className="wide">
                {row.address === undefined ? <span className="quiet">a new account</span> : <Hash hex={row.address} />}
              </span>
              <span role="gridcell" className="wide end soft">
                {grouped(row.felts)}
              </span>
            </div>
          )
        })}
      </div>
    </div>
  )
}

/** Formats a version, such as `v3`. A version with the query bit is a simulation. */
export const versionOf = (version: string): string => {
  const digits = /^0x(1?)0*([0-9a-f])$/iu.exec(version)
  return digits === null ? version.slice(0, 12) : `v${digits[2]}${version.length > 30 ? " query" : ""}`
}
