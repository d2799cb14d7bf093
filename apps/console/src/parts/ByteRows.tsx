/** Bytes in rows, coloured by their fields. One tab stop; the arrow keys move from byte to byte. */
import "./bytes.css"
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react"

import { count, digitsOf } from "../look/TextFormats.ts"
import type { StationCell } from "../proof/Station.ts"

/** Maximum number of bytes of one field that are shown before the reader unfolds the field. */
const FOLD = 96
const HEAD = 32
const TAIL = 16

/** A byte, and the field that it belongs to. */
interface Shown {
  readonly at: number
  readonly cell: number
  readonly isHead: boolean
}

/** A run of bytes that is folded. */
interface Folded {
  readonly cell: number
  readonly from: number
  readonly bytes: number
}

/** Returns the tone of each cell: neighbours always differ, and empty parts have no tone. */
export const tonesOf = (cells: ReadonlyArray<StationCell>, taken: number): ReadonlyArray<string> => {
  let next = 0
  return cells.map((cell, at) => {
    if (at === taken) return "on-line"
    return cell.length === 0 || cell.state === "empty" ? "t0" : `t${(next++ % 5) + 1}`
  })
}

/** Returns the index of the cell that each byte belongs to; -1 for the heads of the lists around the cells. */
const owners = (length: number, cells: ReadonlyArray<StationCell>): Int16Array => {
  const owner = new Int16Array(length).fill(-1)
  cells.forEach(({ head, length: size, offset }, i) => owner.fill(i, offset, offset + head + size))
  return owner
}

/** The bytes of a station. `lit` is the field that the reader points at in another part of the screen. */
export const ByteRows = ({
  bytes,
  cells,
  changed,
  isWide = false,
  label,
  lit,
  onField,
  onSelect,
  selected,
  taken
}: {
  readonly bytes: Uint8Array
  readonly cells: ReadonlyArray<StationCell>
  readonly taken: number
  readonly label: string
  readonly changed?: ReadonlySet<number> | undefined
  readonly selected: number | undefined
  readonly onSelect: (byte: number) => void
  readonly lit?: number | undefined
  readonly onField?: ((cell: number | undefined) => void) | undefined
  readonly isWide?: boolean
}) => {
  const id = useId()
  const box = useRef<HTMLDivElement>(null)
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set())
  const owner = useMemo(() => owners(bytes.length, cells), [bytes.length, cells])
  const tones = useMemo(() => tonesOf(cells, taken), [cells, taken])
  const items = useMemo(() => layOut(bytes.length, owner, cells, open), [bytes.length, owner, cells, open])
  const columns = isWide ? 24 : 16
  useEffect(() => {
    // scrolls a byte that was reached with the keys into view
    if (selected !== undefined && document.activeElement === box.current) {
      document.getElementById(`${id}-${selected}`)?.scrollIntoView({ block: "nearest" })
    }
  }, [id, selected])
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }[event.key]
    if (step === undefined || bytes.length === 0) return
    onSelect(Math.min(bytes.length - 1, Math.max(0, (selected ?? 0) + step)))
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div
      ref={box}
      className={`bytes${isWide ? " wide" : ""}`}
      role="listbox"
      aria-label={label}
      aria-activedescendant={selected === undefined ? undefined : `${id}-${selected}`}
      tabIndex={0}
      onKeyDown={move}
      onMouseLeave={() => onField?.(undefined)}
    >
      {items.map((item) => {
        if ("bytes" in item) {
          const name = cells[item.cell]?.name ?? "the bytes"
          return (
            <span
              key={`fold ${item.from}`}
              role="option"
              aria-selected={false}
              tabIndex={-1}
              className={`fold ${tones[item.cell] ?? "t0"}`}
              onClick={() => setOpen(new Set([...open, item.cell]))}
              onKeyDown={() => setOpen(new Set([...open, item.cell]))}
            >
              {count(item.bytes, "more byte")} of {name}
            </span>
          )
        }
        const { at, cell, isHead } = item
        const tone = cell < 0 ? "t0" : tones[cell]!
        const marks = `${isHead ? " head" : ""}${changed?.has(at) === true ? " changed" : ""}${at === selected ? " here" : ""}${cell >= 0 && cell === lit ? " lit" : ""}`
        return (
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
          <span
            key={at}
            id={`${id}-${at}`}
            role="option"
            aria-selected={at === selected}
            aria-label={`byte ${at}, ${digitsOf(bytes[at]!)}${cell < 0 ? "" : `, ${cells[cell]!.name}`}`}
            className={`${tone}${marks}`}
            onClick={() => onSelect(at)}
            onMouseEnter={() => onField?.(cell < 0 ? undefined : cell)}
          >
            {digitsOf(bytes[at]!)}
          </span>
        )
      })}
    </div>
  )
}

/** Lays the bytes out, and folds the middle of long fields. */
const layOut = (
  length: number,
  owner: Int16Array,
  cells: ReadonlyArray<StationCell>,
  open: ReadonlySet<number>
): ReadonlyArray<Shown | Folded> => {
  const items: Array<Shown | Folded> = []
  for (let at = 0; at < length; at++) {
    const cell = owner[at]!
    const { head, length: size, offset } = cells[cell] ?? { head: 0, length: length, offset: 0 }
    const start = offset + head
    if (size > FOLD && !open.has(cell) && at === start + HEAD) {
      const bytes = size - HEAD - TAIL
      items.push({ cell, from: at, bytes })
      at += bytes - 1
    } else items.push({ at, cell, isHead: cell >= 0 && at < start })
  }
  return items
}
