/** Draws the proof: an ordered list of rows, from the anchor that the reader trusts down to the value. */
import type { ReactNode } from "react"

import type { GatheredEvidence } from "../chain/GatherEvidence.ts"
import { Digits } from "../look/Digits.tsx"
import { Hash, Skyline } from "../look/Hash.tsx"
import { count, short } from "../look/TextFormats.ts"
import type { VerdictName } from "../look/VerdictMark.tsx"
import type { PathBreak, ProofPath } from "../proof/ProofPath.ts"
import type { WordedValue } from "../proof/ProofWording.ts"
import type { NibblePath, Station } from "../proof/Station.ts"
import { anchorRows, Stop, type StopOf } from "./ProofRows.tsx"
import { markerOf } from "./proofVerdict.ts"
import { Ruler } from "./Ruler.tsx"
import { ValueMarker } from "./ValueMarker.tsx"

/** Maximum number of rows of one trie that are drawn in full. In a longer path, the middle rows are thin. */
const FULL_ROWS = 4

/** Returns the id of a station without the station's number. The result names the station's trie. */
const groupOf = ({ id }: Station): string => id.replace(/\.\d+$/u, "")

/** Returns the ids of the rows that are drawn thin. */
const thinOf = (stations: ReadonlyArray<Station>, chosen: string | undefined): ReadonlySet<string> => {
  const thin = new Set<string>()
  const groups = Map.groupBy(stations, groupOf)
  for (const rows of groups.values()) {
    if (rows.length <= FULL_ROWS) continue
    for (const { id } of rows.slice(1, -2)) if (id !== chosen) thin.add(id)
  }
  return thin
}

/** The whole line of proof, with the value at its end. */
export const ProofPathView = ({
  chosen,
  gathered: { between, nail },
  proofPath,
  onChoose,
  subjectName,
  value,
  verdict
}: {
  readonly proofPath: ProofPath
  readonly gathered: Pick<GatheredEvidence, "between" | "nail">
  readonly verdict: VerdictName
  readonly chosen: string | undefined
  readonly onChoose: (station: string, cell?: number) => void
  readonly subjectName: string
  readonly value: WordedValue | undefined
}) => {
  const { broken, stations } = proofPath
  const thin = thinOf(stations, chosen)
  const rows: Array<ReactNode> = []
  const stop: StopOf = (key, props) => {
    rows.push(<Stop key={key} index={rows.length} {...props} />)
  }
  const isHung = nail._tag !== "None"
  anchorRows(nail, between, stop)
  stations.forEach((station, at) => {
    const isBelow = broken !== undefined && at >= broken.station
    const isLoose = isBelow ? "loose" : ""
    if (broken?.station === at && station.named !== undefined) stop("tear", tearOf(station))
    else knot(station, at, { isHung, isBelow, stop })
    if (station.path !== undefined)
      stop(`path of ${station.id}`, { className: `digits ${isLoose}`, ...digitsOf(station.path) })
    const isThin = thin.has(station.id)
    const isChosen = chosen === station.id
    stop(station.id, {
      className: `${isLoose} ${isThin ? "thin" : ""} ${isChosen ? "chosen" : ""}`,
      name: (
        <button type="button" aria-pressed={isChosen} data-station={station.id} onClick={() => onChoose(station.id)}>
          {station.title}
          <small>{station.subtitle}</small>
        </button>
      ),
      check: isBelow ? "" : station.note,
      children: <Ruler station={station} isThin={isThin} onPoint={(cell) => onChoose(station.id, cell)} />
    })
  })
  const isLoose = broken !== undefined
  if (broken?.station === stations.length) stop("tear", tornAtValue(broken))
  stop("value", {
    className: `last ${isLoose ? "loose" : ""}`,
    name: (
      <>
        <b>Value</b>
        <small>{subjectName}</small>
      </>
    ),
    check: isLoose || value?.also === undefined ? "" : <Digits>{value.also}</Digits>,
    children: <ValueMarker text={isLoose ? "no value" : markerOf(value)} />
  })
  return (
    <ol
      className={`sheet line ${verdict === "CLAIMED" || (verdict === "REFUTED" && !isHung) ? "claimed" : "verified"}`}
    >
      {rows}
    </ol>
  )
}

/** Shows the hash between two rows: the row above names it, and it is computed from the row below. */
const knot = (
  station: Station,
  at: number,
  { isBelow, isHung, stop }: { readonly isHung: boolean; readonly isBelow: boolean; readonly stop: StopOf }
): void => {
  const { bytes, named } = station
  const className = `knot ${isBelow ? "loose" : ""}`
  if (named === undefined) {
    stop(`knot of ${station.id}`, {
      className,
      children: <span className="inside">inside of the bytes above</span>,
      check: isBelow ? "" : `${count(bytes.length, "byte")}, no hash between`
    })
    return
  }
  stop(`knot of ${station.id}`, {
    className,
    children: <Hash hex={named} />,
    check: isBelow ? (
      ""
    ) : (
      <>
        <b>=</b> keccak-256{at === 0 && !isHung ? ", only claimed" : ` of ${count(bytes.length, "byte")}`}
      </>
    )
  })
}

const digitsOf = ({ digits, of, used }: NibblePath) => ({
  name: (
    <>
      digits of <code>{of}</code>
    </>
  ),
  children: (
    <code title={digits}>
      {Array.from(digits.slice(0, used), (digit, at) => (
        <b key={at}>{digit}</b>
      ))}
      {digits.length - used > 16 ? `${digits.slice(used, used + 8)}…${digits.slice(-4)}` : digits.slice(used)}
    </code>
  )
})

/** The two ends of a torn line. */
const Ends = () => (
  <svg viewBox="0 0 20 56" width="20" height="56" aria-hidden="true" fill="none" stroke="currentColor" strokeWidth="2">
    <path d="M10 0v6l-5 4 8 4-5 5" />
    <path d="M8 34l6 4-8 5 5 4v4" />
    <path d="M11 51v5" strokeDasharray="2 2" stroke="var(--ink-3)" />
  </svg>
)

/** The break below a chain of hashes that holds: the last bytes give one value, and the node sent a different one. */
const tornAtValue = ({ expected, got }: PathBreak) => ({
  className: "tear",
  name: (
    <>
      <b>The line breaks here</b>
      <small>two values that should be one</small>
    </>
  ),
  children: (
    <>
      <Ends />
      <div className="pair">
        <span className="hash" title={expected}>
          {short(expected)}
        </span>
        <span className="hash" title={got}>
          {short(got)}
        </span>
      </div>
    </>
  ),
  check: (
    <>
      <span>in the bytes that are proven</span>
      <b aria-label="is not">≠</b>
      <span className="red">said by the node</span>
    </>
  )
})

/** Returns the two hashes that no longer agree. */
const tearOf = ({ bytes, digest, named, namedBy }: Station) => ({
  className: "tear",
  name: (
    <>
      <b>The line breaks here</b>
      <small>two hashes that should be one</small>
    </>
  ),
  children: (
    <>
      <Ends />
      <div className="pair">
        <span className="hash" title={named}>
          <Skyline hex={named!} />
          {short(named!)}
        </span>
        <span className="hash" title={digest}>
          <Skyline hex={digest} />
          {short(digest)}
        </span>
      </div>
    </>
  ),
  check: (
    <>
      <span>named by {namedBy.toLowerCase()}</span>
      <b aria-label="is not">≠</b>
      <span className="red">computed from these {count(bytes.length, "byte")}</span>
    </>
  )
})
