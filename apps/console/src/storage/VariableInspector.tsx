/** The selected variable: its slots as rulers, its formula, and the way to its proof. */
import type { Layout } from "@plumbline/storage-layout/layout/Layout"
import type { SlotShare } from "@plumbline/storage-layout/location/Share"
import { type CSSProperties, useMemo } from "react"

import { Digits } from "../look/Digits.tsx"
import { Copied } from "../look/Hash.tsx"
import { count, grouped } from "../look/TextFormats.ts"
import { VerdictWord } from "../look/VerdictMark.tsx"
import { Anchored } from "../parts/VerdictStrip.tsx"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import { FormulaView, numberText } from "../variables/FormulaView.tsx"
import { middleOf, SlotRuler } from "../variables/SlotRuler.tsx"
import * as ValueText from "../variables/ValueText.ts"
import * as VariableSlots from "./VariableSlots.ts"
import * as VariableTree from "./VariableTree.ts"
import type * as VariableValues from "./VariableValues.ts"

/** The inspector of a variable. */
export const VariableInspector = ({
  before,
  beforeKnown,
  isReading,
  known,
  layout,
  onSelect,
  path,
  place,
  values
}: {
  readonly place: ConsoleRoute.StorageRoute & { readonly address: string }
  readonly layout: Layout
  readonly path: string
  readonly known: VariableTree.KnownValues
  readonly values: VariableValues.VariableValues
  readonly isReading: boolean
  readonly before: VariableValues.VariableValues | undefined
  readonly beforeKnown: VariableTree.KnownValues | undefined
  readonly onSelect: (path: string) => void
}) => {
  const value = VariableTree.valueAt(known, path)
  const placed = useMemo(() => VariableSlots.of(layout, path, value), [layout, path, value])
  if (placed === undefined) {
    return (
      <section className="sheet inset">
        <p className="soft">The layout has no variable at {path}.</p>
      </section>
    )
  }
  const { formula, more, slots } = placed
  const { location } = formula
  const old = beforeKnown === undefined ? undefined : VariableTree.valueAt(beforeKnown, path)
  const isMapping = location.type._tag === "Mapping"
  const text = isMapping
    ? "entries by key"
    : value === undefined
      ? isReading
        ? "reading"
        : "not read"
      : ValueText.line(value, location.type, layout)
  const oldText = old === undefined ? "none" : ValueText.line(old, location.type, layout)
  const proofOf = ({ part: role, shares, slot }: VariableSlots.OwnSlot): string => {
    // the word of a length is not the value itself
    const name = (role === "length" ? shares.find((share) => share.path === `${path}.length`)?.path : undefined) ?? path
    const part =
      location.bytes < 32n && slot === location.slot
        ? { part: { offset: location.offset, bytes: Number(location.bytes) } }
        : {}
    const { address, network } = place
    const hex = `0x${slot.toString(16).padStart(64, "0")}`
    return ConsoleRoute.link({
      _tag: "Proof",
      network,
      block: values.block.hash,
      trust: values.isVerified ? place.trust : undefined,
      subject: { _tag: "Slot", address, slot: hex, name, ...part },
      at: "slot"
    }).href
  }
  return (
    <section className="sheet" aria-label={`Inspector: ${path}`}>
      <div className="inset variable">
        <h2 className="value-name">{path}</h2>
        <p className="variable-value">
          {before === undefined || oldText === text ? (
            <Digits>{text}</Digits>
          ) : (
            <>
              <span className="quiet">
                <Digits>{oldText}</Digits>
              </span>{" "}
              <span aria-hidden="true">→</span> <Digits>{text}</Digits>
            </>
          )}
        </p>
        <p className="small soft row wrap">
          {isMapping || value === undefined ? null : <VerdictWord word={values.isVerified ? "VERIFIED" : "CLAIMED"} />}
          <span>{location.type.label}</span>
          {location.type._tag === "Enum" && location.type.members === undefined ? (
            <span>
              a number: this layout has no names of members. <code>solc --combined-json storage-layout,ast</code> writes
              them.
            </span>
          ) : null}
          {isMapping || value === undefined ? null : (
            <Copied className="plain" text={ValueText.line(value)} label="Copy value" />
          )}
        </p>
        {isMapping ? (
          <p className="small soft">A mapping has no list of its keys. Enter a key beside its name to read an entry.</p>
        ) : value === undefined ? null : (
          <>
            {VariableSlots.isUnset(layout, path, values.words) ? (
              <p className="small">
                Zero: this entry was never written, or it was set to zero. The storage is the same in both cases,
                because a mapping has no list of its keys.
              </p>
            ) : null}
            <TrustOfValue place={place} values={values} />
          </>
        )}
      </div>
      <div className="inset">
        {slots.map((own, at) => (
          <OneSlot
            key={String(own.slot)}
            slot={own.slot}
            path={path}
            shares={own.shares.filter((share) => VariableTree.isThere(known, share.path))}
            word={values.words.get(own.slot)}
            before={
              before === undefined ? undefined : { number: before.block.number, word: before.words.get(own.slot) }
            }
            after={values.block.number}
            title={titleOf(own.part, slots.length, at, isMapping)}
            href={proofOf(own)}
            known={known}
            layout={layout}
            onSelect={onSelect}
          />
        ))}
        {more > 0n ? <p className="small quiet">{count(more, "more slot")}. Select a part to see its own.</p> : null}
      </div>
      <div className="inset">
        <h3 style={{ marginBottom: 12 }}>From name to slot</h3>
        <FormulaView formula={formula} />
      </div>
    </section>
  )
}

/** The block that proves a value, and what the block hangs from. */
const TrustOfValue = ({
  place: { trust },
  values: { block, isVerified }
}: {
  readonly place: ConsoleRoute.StorageRoute
  readonly values: VariableValues.VariableValues
}) => (
  <p className="small soft">
    Proven against block {grouped(block.number)}
    {isVerified && trust !== undefined ? (
      <>
        , which hangs from your anchor: <Anchored hash={block.hash} trust={trust} />.
      </>
    ) : (
      <>
        , but only the node says that the block is on the chain.{" "}
        <button type="button" className="plain" onClick={showTrust}>
          Choose what you trust
        </button>
      </>
    )}
  </p>
)

/** Goes to the offers of the page's verdict. */
const showTrust = (): void => {
  scrollTo(0, 0)
  document.querySelector<HTMLElement>(".verdict-strip .offer button")?.focus({ preventScroll: true })
}

const titleOf = (part: "value" | "length", amount: number, at: number, isMapping: boolean): string =>
  isMapping
    ? "Slot of the mapping, always empty"
    : part === "length"
      ? "Slot of the length"
      : amount === 1
        ? "Slot"
        : `Slot ${at + 1}`

/** One slot: its word at one block, or its words at two blocks on one line. */
const OneSlot = ({
  after,
  before,
  href,
  known,
  layout,
  onSelect,
  path,
  shares,
  slot,
  title,
  word
}: {
  readonly slot: bigint
  readonly path: string
  readonly shares: ReadonlyArray<SlotShare>
  readonly word: bigint | undefined
  readonly before: { readonly number: bigint; readonly word: bigint | undefined } | undefined
  readonly after: bigint
  readonly title: string
  readonly href: string
  readonly known: VariableTree.KnownValues
  readonly layout: Layout
  readonly onSelect: (path: string) => void
}) => {
  const others = shares.filter((share) => share.path !== path)
  return (
    <div className="one-slot">
      <p className="one-slot-head">
        <span>
          <b>{title}</b> <span className="whole soft">{numberText(slot)}</span>
        </span>
        {word === undefined ? null : <a href={href}>Open the proof</a>}
      </p>
      {word === undefined ? (
        <p className="small quiet">
          {shares.length > 0 && shares.every(({ type }) => type._tag === "Mapping")
            ? "Always zero: the entries of a mapping are at the hashes of their keys."
            : "This slot was not read."}
        </p>
      ) : before?.word === undefined ? (
        <SlotRuler word={word} shares={shares} chosen={path} label={`Slot ${numberText(slot)}`} onPick={onSelect} />
      ) : (
        <div className="two-rulers" style={{ "--middle": middleOf(shares, path) } as CSSProperties}>
          <p className="small soft">block {grouped(before.number)}</p>
          <SlotRuler
            word={before.word}
            before={word}
            shares={shares}
            chosen={path}
            label={`Block ${before.number}`}
            onPick={onSelect}
          />
          <p className={`plumb small${before.word === word ? " same" : ""}`}>
            <span>{before.word === word ? "the same 32 bytes" : "changed"}</span>
          </p>
          <SlotRuler word={word} before={before.word} shares={shares} chosen={path} label={`Block ${after}`} />
          <p className="small soft">block {grouped(after)}</p>
        </div>
      )}
      {others.length === 0 ? null : (
        <ul className="neighbours">
          {shares.toReversed().map((share) => {
            const value = VariableTree.valueAt(known, share.path)
            return (
              <li key={share.path}>
                <button type="button" className="plain" onClick={() => onSelect(share.path)}>
                  {ValueText.shortPath(share.path)}
                </button>{" "}
                <span className="soft">
                  {count(share.bytes, "byte")}
                  {value === undefined ? "" : `, ${ValueText.line(value, share.type, layout)}`}
                </span>
              </li>
            )
          })}
        </ul>
      )}
    </div>
  )
}
