/** Shows the selected station in detail: its bytes, their hash, and the bits that a reader can flip. */
import type { Formula } from "@plumbline/storage-layout/location/Formula"
import { useMemo } from "react"

import { count, digitsOf } from "../look/TextFormats.ts"
import { ByteRows, tonesOf } from "../parts/ByteRows.tsx"
import type { BitFlip, ProofPath } from "../proof/ProofPath.ts"
import { explain } from "../proof/ProofWording.ts"
import { holds, type Station } from "../proof/Station.ts"
import { FormulaView } from "../variables/FormulaView.tsx"

/** Maximum number of fields that the legend names. */
const LEGEND = 7

/** The inspector. */
export const Inspector = ({
  byte,
  flips,
  formula,
  proofPath,
  onByte,
  onFlip,
  onMend,
  station
}: {
  readonly station: Station
  readonly proofPath: ProofPath
  readonly byte: number | undefined
  readonly onByte: (byte: number) => void
  readonly flips: ReadonlyArray<BitFlip>
  readonly onFlip: (bit: number) => void
  readonly onMend: () => void
  /** The steps from the name of the value to its slot, if a layout gave them. */
  readonly formula?: Formula | undefined
}) => {
  const { bytes, cells, digest, named, namedBy, taken } = station
  const own = flips.filter(({ station: id }) => id === station.id)
  const changed = useMemo(() => new Set(own.map(({ byte }) => byte)), [own])
  const isEqual = holds(station)
  return (
    <>
      <section className="sheet inspector" aria-label={`Inspector: ${station.title}`}>
        <header>
          <h2>{station.title}</h2>
          <span className="quiet small">{count(bytes.length, "byte")}</span>
        </header>
        <div className="inset stack below-header">
          <p className="soft">{explain(station)}</p>
          {bytes.length === 0 ? null : (
            <ByteRows
              bytes={bytes}
              cells={cells}
              taken={taken}
              changed={changed}
              selected={byte}
              onSelect={onByte}
              label={`Bytes of ${station.title}`}
            />
          )}
          <Legend station={station} />
        </div>
        {named === undefined ? null : (
          <div className="inset">
            <p className="in-out">{count(bytes.length, "byte")} in, 32 bytes out</p>
            <dl className="both terms small">
              <dt>keccak-256</dt>
              <dd className={isEqual ? "same" : "wrong"}>{digest}</dd>
              <dt>named</dt>
              <dd className={isEqual ? "same" : ""}>{named}</dd>
            </dl>
            <p className={`says ${isEqual ? "equal" : "unequal"}`}>
              {isEqual
                ? `Equal. ${lead(namedBy)} names these very bytes.`
                : `Not equal. ${lead(namedBy)} names other bytes, so the chain ends here.`}
            </p>
          </div>
        )}
        {formula === undefined || !/^(?:slot|storage\.\d+)$/u.test(station.id) ? null : (
          <details className="inset" open={station.id === "slot"}>
            <summary>
              <h3>From name to slot</h3>
            </summary>
            <FormulaView formula={formula} />
          </details>
        )}
        {named === undefined || bytes.length === 0 ? null : (
          <Breaking station={station} byte={byte} flips={own} onFlip={onFlip} onMend={onMend} />
        )}
      </section>
      <p className="spoken" role="status">
        {proofPath.broken === undefined
          ? ""
          : `Broken at ${proofPath.stations[proofPath.broken.station]?.title}: expected ${proofPath.broken.expected.slice(0, 8)}, got ${proofPath.broken.got.slice(0, 8)}`}
      </p>
    </>
  )
}

const lead = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)

/** The bits of the selected byte. A click flips a bit, and everything is hashed again. */
const Breaking = ({
  byte,
  flips,
  onFlip,
  onMend,
  station
}: {
  readonly station: Station
  readonly byte: number | undefined
  readonly flips: ReadonlyArray<BitFlip>
  readonly onFlip: (bit: number) => void
  readonly onMend: () => void
}) => {
  const { bytes, cells, taken } = station
  const value = byte === undefined ? undefined : bytes[byte]
  const at = cells.findIndex(
    ({ head, length, offset }) => byte !== undefined && byte >= offset && byte < offset + head + length
  )
  const cell = cells[at]
  const isBroken = flips.length > 0
  return (
    <div className="inset">
      <h3>Break it</h3>
      {value === undefined || byte === undefined ? (
        <p className="soft">Select a byte, and flip one of its bits.</p>
      ) : (
        <>
          <p className="soft">
            Byte {byte} is <code>{digitsOf(value)}</code>
            {cell === undefined
              ? ". "
              : `, ${cell.name === "value" ? "of the value" : `of ${station.kind === "branch" ? "child " : ""}${cell.name}`}. `}
            {isBroken ? "Flip the bit back to mend the proof." : "Flip any of its bits, and see which check fails."}
          </p>
          {isBroken && at !== taken && flips.some((flip) => flip.byte === byte) ? (
            <p className="soft">
              The proof does not use{" "}
              {cell === undefined ? "this byte" : station.kind === "branch" ? `child ${cell.name}` : cell.name}. The
              hash covers all {bytes.length} bytes, so it breaks all the same.
            </p>
          ) : null}
          <fieldset
            className="bits"
            aria-label={`Bits of byte ${byte}`}
            style={{ border: 0, padding: 0, margin: "12px 0 0" }}
          >
            {[7, 6, 5, 4, 3, 2, 1, 0].map((bit) => {
              const isFlipped = flips.some((flip) => flip.byte === byte && flip.bit === bit)
              return (
                <button
                  key={bit}
                  type="button"
                  aria-pressed={isFlipped}
                  aria-label={`Bit ${bit} is ${(value >> bit) & 1}. Flip it.`}
                  onClick={() => onFlip(bit)}
                >
                  {(value >> bit) & 1}
                </button>
              )
            })}
          </fieldset>
        </>
      )}
      {isBroken ? (
        <p className="row mt-3">
          <button type="button" className="button primary" onClick={onMend}>
            Mend
          </button>
          <span className="small quiet">
            {count(flips.length, "bit")} of {8 * bytes.length} changed
          </span>
        </p>
      ) : null}
    </div>
  )
}

const Legend = ({ station: { cells, kind, taken } }: { readonly station: Station }) => {
  const tones = tonesOf(cells, taken)
  const shown = cells
    .map((cell, at) => ({ cell, at, tone: tones[at]! }))
    .filter(({ at, cell, tone }) => at === taken || (tone !== "t0" && cell.length > 0))
  const first = shown.filter(({ at }) => at === taken)
  const rest = shown.filter(({ at }) => at !== taken)
  const named = [...first, ...(rest.length > LEGEND ? [] : rest)]
  return (
    <p className="legend">
      {named.map(({ at, cell, tone }) => (
        <span key={at}>
          <i className={tone} style={{ background: "currentColor" }} />
          {kind === "branch" ? "child " : ""}
          {cell.name}
          {at === taken ? ", on the line" : ""}
        </span>
      ))}
      {rest.length > LEGEND ? <span>{count(rest.length, "other part")}, one hue each</span> : null}
    </p>
  )
}
