/** The microscope's stage: a value with its line of proof, the inspector, and the reader's actions. */
import "./microscope.css"
import type { Layout } from "@plumbline/storage-layout/layout/Layout"
import { useCallback, useEffect, useMemo, useState } from "react"

import type * as GatherEvidence from "../chain/GatherEvidence.ts"
import { Digits } from "../look/Digits.tsx"
import { Copied, Hash } from "../look/Hash.tsx"
import { VerdictStrip } from "../parts/VerdictStrip.tsx"
import type { BitFlip, ProofPath } from "../proof/ProofPath.ts"
import * as ProofSubject from "../proof/ProofSubject.ts"
import { type WordedValue, valueOf } from "../proof/ProofWording.ts"
import { numberOf } from "../proof/RlpFields.ts"
import type { Station } from "../proof/Station.ts"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import * as Router from "../route/Router.ts"
import * as SlotNaming from "../variables/SlotNaming.ts"
import * as ValueText from "../variables/ValueText.ts"
import { Inspector } from "./Inspector.tsx"
import { ProofPathView } from "./ProofPathView.tsx"
import { sentenceOf } from "./proofVerdict.ts"
import { TrustPanel } from "./TrustPanel.tsx"
import { useFlippedProof } from "./useFlippedProof.ts"

/**
 * The stage. `decoded` is the value's text if a layout gave its type. In the offline file, there is no address to
 * update and no page to open.
 */
export const MicroscopeStage = ({
  decoded,
  gathered,
  isOffline = false,
  layout,
  place
}: {
  /** The layout that the reader gave for the contract. It names the bytes of a slot. */
  readonly layout?: Layout | undefined
  readonly place: ConsoleRoute.ProofRoute
  readonly gathered: GatherEvidence.GatheredEvidence
  readonly decoded?: WordedValue | undefined
  readonly isOffline?: boolean
}) => {
  const { block, nail } = gathered
  const naming = useMemo(
    () => (layout === undefined || place.subject._tag !== "Slot" ? undefined : SlotNaming.of(layout, place.subject)),
    [layout, place.subject]
  )
  const subject = useMemo(
    () => (naming === undefined || place.subject._tag !== "Slot" ? place.subject : withNames(place.subject, naming)),
    [place.subject, naming]
  )
  const [chosen, setChosen] = useState<string | undefined>(place.at ?? place.broken?.station)
  const [byteChosen, setByte] = useState<number | undefined>(place.broken?.byte)
  const { flips, proofPath, setFlips, verdict } = useFlippedProof(gathered, subject, place.broken)
  const value =
    proofPath.value === undefined
      ? undefined
      : (decoded ??
        (layout === undefined ? undefined : decodedBy(layout, naming, proofPath)) ??
        valueOf(proofPath.value, subject))
  const { stations } = proofPath
  const isOnPurpose = flips.length > 0
  const isUnproven = nail._tag === "None" && !isOnPurpose && !isOffline
  const station = stations.find(({ id }) => id === chosen)
  const byte = byteChosen ?? (station === undefined ? undefined : firstByte(station))

  const choose = useCallback(
    (station: string, cell?: number) => {
      const found = stations.find(({ id }) => id === station)
      setChosen(station)
      setByte(found === undefined ? undefined : firstByte(found, cell))
    },
    [stations]
  )
  const flip = useCallback(
    (bit: number) => {
      if (chosen === undefined || byte === undefined) return
      const isSame = (one: BitFlip) => one.station === chosen && one.byte === byte && one.bit === bit
      setFlips((flips) =>
        flips.some(isSame) ? flips.filter((one) => !isSame(one)) : [...flips, { station: chosen, byte, bit }]
      )
    },
    [chosen, byte, setFlips]
  )
  const mend = useCallback(() => setFlips([]), [setFlips])

  // The address holds the block's hash and the selected station, so that it can be passed on. It holds no flipped bit,
  // so the bytes are unchanged after a reload.
  useEffect(() => {
    if (!isOffline) Router.go({ ...place, block: block.hash, at: chosen, broken: undefined }, { replace: true })
    // only what the reader selects changes the address
    // oxlint-disable-next-line react/exhaustive-deps
  }, [chosen])

  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      const { target } = event
      const isField = target instanceof HTMLElement && /^(?:INPUT|TEXTAREA|SELECT)$/u.test(target.tagName)
      if (isField || event.metaKey || event.ctrlKey || event.altKey || event.defaultPrevented) return
      const at = stations.findIndex(({ id }) => id === chosen)
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        const next = stations[Math.min(stations.length - 1, Math.max(0, at + (event.key === "ArrowDown" ? 1 : -1)))]
        if (next !== undefined) {
          choose(next.id)
          document.querySelector<HTMLElement>(`[data-station="${next.id}"]`)?.focus()
        }
      } else if (event.key === "b") {
        if (chosen === undefined) choose(stations[0]!.id)
        else if (stations[at]?.named !== undefined) flip(0)
      } else if (event.key === "m") mend()
      else if (event.key === "Escape") setChosen(undefined)
      else return
      event.preventDefault()
    }
    addEventListener("keydown", pressed)
    return () => removeEventListener("keydown", pressed)
  }, [stations, chosen, choose, flip, mend])

  const name = ProofSubject.nameOf(subject)
  const nameNote = sourceOfName(place, naming, layout)
  const shared = ConsoleRoute.link({ ...place, block: block.hash, at: chosen, broken: flips[0] }).href
  return (
    <div className={`page ${verdict.toLowerCase()}`}>
      <div className="lead">
        <div>
          <p className="value-name">{name}</p>
          {nameNote === "" ? null : <p className="small quiet">{nameNote}</p>}
          <div className="scope-value">
            <h1 className={value === undefined ? "amount none" : "amount"}>
              <Digits>{value?.main ?? "No value"}</Digits>
            </h1>
            {value?.also === undefined ? null : (
              <span>
                <Digits>{value.also}</Digits>
              </span>
            )}
            <span>
              {"address" in subject ? (
                <>
                  of{" "}
                  <Hash
                    hex={subject.address}
                    link={
                      isOffline
                        ? undefined
                        : ConsoleRoute.link({
                            _tag: "Account",
                            network: place.network,
                            address: subject.address,
                            block: block.hash,
                            trust: place.trust
                          })
                    }
                  />{" "}
                </>
              ) : null}
              at{" "}
              {isOffline ? (
                `block ${block.number}`
              ) : (
                <a
                  href={
                    ConsoleRoute.link({
                      _tag: "Block",
                      network: place.network,
                      block: block.hash,
                      trust: place.trust
                    }).href
                  }
                >
                  block {String(block.number)}
                </a>
              )}
            </span>
          </div>
        </div>
        <VerdictStrip
          word={verdict}
          offer={
            isUnproven
              ? {
                  network: place.network,
                  hash: block.hash,
                  label: "Trust its hash",
                  trust: place.trust,
                  placeOf: (trust) => ({ ...place, block: block.hash, trust, broken: undefined })
                }
              : undefined
          }
        >
          {sentenceOf(verdict, proofPath, gathered, isOnPurpose)}
        </VerdictStrip>
      </div>
      <div className="scope split">
        <ProofPathView
          proofPath={proofPath}
          gathered={gathered}
          verdict={verdict}
          chosen={chosen}
          onChoose={choose}
          subjectName={ValueText.shortPath(name)}
          value={value}
        />
        <div className="column">
          {isUnproven ? (
            <TrustPanel place={place} block={block} why={nail.why} value={value?.main} name={name} />
          ) : null}
          {station === undefined ? (
            nail._tag === "None" ? null : (
              <Invitation onOpen={() => choose(stations.at(-1)?.id ?? "header")} />
            )
          ) : (
            <Inspector
              station={station}
              proofPath={proofPath}
              byte={byte}
              onByte={setByte}
              flips={flips}
              onFlip={flip}
              onMend={mend}
              formula={naming?.formula}
            />
          )}
          <div className="row wrap">
            {isOffline ? null : (
              <Copied
                text={`${location.origin}${shared}`}
                label={isOnPurpose ? "Copy link, broken on purpose" : "Copy link"}
              />
            )}
            {value === undefined || value.whole === "" ? null : <Copied text={value.whole} label="Copy value" />}
          </div>
        </div>
      </div>
    </div>
  )
}

/** Returns the subject with the names of the parts of its word. */
const withNames = (
  subject: Extract<ProofSubject.ProofSubject, { readonly _tag: "Slot" }>,
  { formula: { location }, shares, slot }: SlotNaming.SlotNaming
): ProofSubject.ProofSubject => ({
  ...subject,
  part:
    location.slot === slot && location.bytes < 32n
      ? { offset: location.offset, bytes: Number(location.bytes) }
      : undefined,
  shares: shares.map(({ bytes, offset, path }) => ({ bytes, offset, path: ValueText.shortPath(path) }))
})

/** Decodes the value at the end of the line by the type that the layout gives it. */
const decodedBy = (
  layout: Layout,
  naming: SlotNaming.SlotNaming | undefined,
  { value: found }: ProofPath
): WordedValue | undefined => {
  if (naming === undefined || found === undefined) return undefined
  const decoded = SlotNaming.decode(layout, naming, found.absent ? 0n : numberOf(found.bytes))
  if (decoded === undefined) return undefined
  return {
    main: decoded.text,
    also: found.absent ? `${decoded.type}, never written` : decoded.type,
    whole: decoded.text
  }
}

/** Returns the source of a slot's name. No block proves a name. */
const sourceOfName = (
  { subject }: ConsoleRoute.ProofRoute,
  naming: SlotNaming.SlotNaming | undefined,
  layout: Layout | undefined
): string =>
  subject._tag !== "Slot" || subject.name === undefined || naming !== undefined
    ? ""
    : layout === undefined
      ? "The name is the link's. No block proves it."
      : "Your layout has another slot for this name."

/** Returns the index of the first byte of a station's part `cell` (default: the part on the line). */
const firstByte = ({ bytes, cells, taken }: Station, cell = taken): number | undefined => {
  const part = cells[cell]
  if (part !== undefined) return part.offset + (part.length > 0 ? part.head : 0)
  return bytes.length === 0 ? undefined : 0
}

/** An introduction for a reader who sees a line of proof for the first time. */
const Invitation = ({ onOpen }: { readonly onOpen: () => void }) => (
  <section className="sheet inset stack">
    <h2>Why this is true</h2>
    <p className="soft">
      Each row holds the hash of the next one. The rows are shifted sideways until each of these hashes is on the line.
      If all named parts are on one straight line, the value is proven from what you trust.
    </p>
    <p className="soft">Select a row to open its bytes. Then flip a bit, and watch the line tear.</p>
    <p className="row">
      <button type="button" className="button primary" onClick={onOpen}>
        Open the last row
      </button>
    </p>
  </section>
)
