/** One slot as 32 bytes, with a hue and a name for each variable in it. */
import "../parts/bytes.css"
import "./variables.css"
import type { SlotShare } from "@plumbline/storage-layout/location/Share"
import type { CSSProperties } from "react"

import { digitsOf } from "../look/TextFormats.ts"

/** A range of bytes in a slot's word, counted from the high-order end. */
interface Run {
  readonly share: SlotShare | undefined
  readonly from: number
  readonly to: number
  readonly tone: string
}

/**
 * Splits a word into the variables that share it. Unused bytes have no hue. The chosen variable has the hue of the line
 * of the proof.
 */
const runsOf = (shares: ReadonlyArray<SlotShare>, chosen: string): ReadonlyArray<Run> => {
  const runs: Array<Run> = []
  let at = 0
  const hues = new Map(shares.map(({ path }, i) => [path, `t${(i % 5) + 1}`]))
  for (const share of shares.toReversed()) {
    const from = 32 - share.offset - share.bytes
    if (from < at) continue
    if (from > at) runs.push({ share: undefined, from: at, to: from, tone: "t0" })
    at = from + share.bytes
    runs.push({ share, from, to: at, tone: isWithin(share.path, chosen) ? "on-line" : hues.get(share.path)! })
  }
  if (at < 32) runs.push({ share: undefined, from: at, to: 32, tone: shares.length === 0 ? "on-line" : "t0" })
  return runs
}

/** True if a path equals the other path, or names a part of it. */
const isWithin = (path: string, whole: string): boolean =>
  path === whole || path === `${whole}.length` || path.startsWith(`${whole}.`) || path.startsWith(`${whole}[`)

/** Returns the last part of a path: `.score` of `members[0x70].score`. */
const lastOf = (path: string): string => /(?:\.?[^.[\]]+|\[[^\]]*\])$/u.exec(path)?.[0] ?? path

/** Returns the 32 bytes of a word. */
export const bytesOf = (word: bigint): ReadonlyArray<number> => {
  const digits = BigInt.asUintN(256, word).toString(16).padStart(64, "0")
  return Array.from({ length: 32 }, (_, i) => Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16))
}

/** The ruler. `before` is the word at another block. Bytes that differ between the two words are marked. */
export const SlotRuler = ({
  before,
  chosen,
  label,
  onPick,
  shares,
  word
}: {
  readonly word: bigint
  readonly shares: ReadonlyArray<SlotShare>
  /** The path of the variable on the line. */
  readonly chosen: string
  readonly label: string
  readonly before?: bigint | undefined
  readonly onPick?: ((path: string) => void) | undefined
}) => {
  const runs = runsOf(shares, chosen)
  const bytes = bytesOf(word)
  const other = before === undefined ? bytes : bytesOf(before)
  return (
    <div className="slot-ruler">
      {onPick !== undefined && shares.length > 0 ? (
        <div className="slot-names">
          {runs.map(({ from, share, to, tone }) => {
            const style = { "--from": from + 1, "--to": to + 1 } as CSSProperties
            if (share === undefined) return <span key={from} style={style} />
            return (
              <button
                key={from}
                type="button"
                className={tone}
                style={style}
                title={share.path}
                aria-label={`${share.path}, ${share.bytes} bytes at offset ${share.offset}`}
                aria-pressed={tone === "on-line"}
                onClick={() => onPick(share.path)}
              >
                <span>{lastOf(share.path)}</span>
              </button>
            )
          })}
        </div>
      ) : null}
      <div className="slot-bytes" role="img" aria-label={`${label}: ${bytes.map(digitsOf).join(" ")}`}>
        {runs.flatMap(({ from, tone, to }) =>
          bytes.slice(from, to).map((byte, i) => (
            <span
              // the order of bytes never changes
              // oxlint-disable-next-line react/no-array-index-key
              key={from + i}
              className={`${tone}${i === 0 ? " first" : ""}${byte === other[from + i] ? "" : " differs"}`}
            >
              {digitsOf(byte)}
            </span>
          ))
        )}
      </div>
    </div>
  )
}

/**
 * Returns the position of the middle of a variable in its word, from 0 at the left to 1. If no variable is chosen,
 * returns the middle of the word.
 */
export const middleOf = (shares: ReadonlyArray<SlotShare>, chosen: string): number => {
  const own = shares.filter(({ path }) => isWithin(path, chosen))
  if (own.length === 0) return 0.5
  const from = Math.min(...own.map(({ offset }) => offset))
  const to = Math.max(...own.map(({ bytes, offset }) => offset + bytes))
  return 1 - (from + to) / 64
}
