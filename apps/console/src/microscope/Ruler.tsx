/** A row that slides sideways until its chosen part lies on the line. */
import { type CSSProperties, type KeyboardEvent, useId, useState } from "react"

import type { StationCell, Station } from "../proof/Station.ts"

/** The widths of narrow cells in pixels, before they are scaled to the screen. */
const CHILD = 18
const THIN = 10

/** Returns the width of a text in the row's font. */
const textWidth = (text: string): number => 14 + text.length * 6.7

interface Shown {
  readonly cell: StationCell
  readonly at: number
  readonly text: string
  readonly width: number
}

/** Returns the parts of a row, with their texts and widths. */
const rowOf = ({ cells, kind }: Station): ReadonlyArray<Shown> =>
  cells.flatMap((cell, at) => {
    if (!cell.isInRow) return []
    const isOnLine = cell.state === "taken" || cell.state === "hollow"
    if (kind === "branch") return [{ cell, at, text: cell.name, width: CHILD }]
    const isNamed =
      isOnLine || kind === "account" || kind === "extension" || kind === "leaf" || kind === "uncles" || kind === "slot"
    if (!isNamed) return [{ cell, at, text: "", width: THIN }]
    const text = cell.text ?? cell.name
    return [{ cell, at, text, width: textWidth(text) }]
  })

/** Returns the label of a part for screen readers: its text first, then its name and its state. */
const sayOf = ({ cell, text }: Shown, kind: Station["kind"]): string => {
  const state = {
    taken: "taken",
    hollow: "taken, and empty",
    open: kind === "branch" ? "leads on" : "",
    empty: "empty"
  }
  const said = state[cell.state]
  const name =
    kind === "branch"
      ? `child ${cell.name}`
      : text === "" || text.startsWith(cell.name)
        ? text || cell.name
        : `${text}, ${cell.name}`
  return `${name}${said === "" ? "" : `, ${said}`}`
}

/** The row of a station. `onPoint` is called with the position of the part that the reader points at. */
export const Ruler = ({
  isThin = false,
  onPoint,
  station
}: {
  readonly station: Station
  readonly isThin?: boolean
  readonly onPoint: (cell: number) => void
}) => {
  const id = useId()
  const row = rowOf(station)
  const taken = row.findIndex(({ at }) => at === station.taken)
  const [pointed, setPointed] = useState<number | undefined>(undefined)
  // the number of cells left of the line, or half of the row if no cell is on the line; cells overlap by their borders
  const before = taken < 0 ? row.length / 2 : taken
  const whole = row.reduce((sum, { width }) => sum + width, 0)
  const left = row.slice(0, Math.max(0, taken)).reduce((sum, { width }) => sum + width, 0)
  const offset = taken < 0 ? whole / 2 : left + (row[taken]?.width ?? 0) / 2
  const active = pointed ?? Math.max(0, taken)
  const move = (event: KeyboardEvent): void => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0
    if (step !== 0) {
      setPointed(Math.min(row.length - 1, Math.max(0, active + step)))
      event.preventDefault()
    } else if (event.key === "Enter") onPoint(row[active]?.at ?? 0)
  }
  if (row.length === 0) return null
  return (
    <div
      className={`ruler${isThin ? " thin" : ""}`}
      style={{ "--off": offset, "--before": before, "--side": Math.max(offset, whole - offset) } as CSSProperties}
      role="listbox"
      aria-label={`${station.title}: ${station.note}`}
      aria-activedescendant={`${id}-${active}`}
      tabIndex={0}
      onKeyDown={move}
      onBlur={() => setPointed(undefined)}
    >
      {row.map(({ at, cell, text, width }, i) => (
        // the listbox around the options handles the keys
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
        <span
          key={at}
          id={`${id}-${i}`}
          role="option"
          aria-selected={i === taken}
          aria-label={sayOf({ cell, at, text, width }, station.kind)}
          title={cell.name === text ? undefined : cell.name}
          className={`${cell.state === "empty" ? "" : cell.state}${pointed === i ? " pointed" : ""}`}
          style={{ "--w": width } as CSSProperties}
          onClick={() => onPoint(at)}
        >
          {text}
        </span>
      ))}
    </div>
  )
}
