/** Shows how a name leads to a slot: each step with the hashed bytes, the digest, and the sum. */
import "../parts/bytes.css"
import "./variables.css"
import type * as Formula from "@plumbline/storage-layout/location/Formula"
import type { ReactNode } from "react"

import { count, digitsOf, grouped } from "../look/TextFormats.ts"

/** The steps of a formula. */
export const FormulaView = ({ formula }: { readonly formula: Formula.Formula }) => {
  const { content, location, steps } = formula
  return (
    <ol className="formula">
      {steps.map((step, i) => (
        <li key={step.path}>
          <p className="formula-name">{step.path}</p>
          <StepView step={step} before={steps[i - 1]} />
        </li>
      ))}
      {content === undefined ? null : (
        <li>
          <p className="formula-name">the bytes of {location.path}</p>
          <ContentView content={content} slot={location.slot} />
        </li>
      )}
      {location.bytes < 32n ? (
        <li>
          <p className="soft">
            In that slot it takes {count(location.bytes, "byte")}, after {count(location.offset, "byte")} from the
            right.
          </p>
        </li>
      ) : null}
    </ol>
  )
}

const StepView = ({
  before,
  step
}: {
  readonly step: Formula.FormulaStep
  readonly before: Formula.FormulaStep | undefined
}): ReactNode => {
  switch (step._tag) {
    case "Variable":
      return <p className="soft">The compiler chose slot {numberText(step.slot)}.</p>
    case "Namespace":
      return (
        <>
          <p className="soft">A namespace of ERC-7201: the hash of its name less one, hashed again.</p>
          <Preimage parts={[{ name: "keccak-256 of the name, less one", bytes: step.preimage, tone: "t1" }]} />
          <Digest digest={step.digest} says="keccak-256; the last byte becomes 00" />
        </>
      )
    case "Length":
      return <p className="soft">The length is in that slot itself.</p>
    case "Member":
      return <Sum from={before?.slot ?? step.slot} add={step.add} to={step.slot} says={`member ${step.name}`} />
    case "Entry":
      return <EntryView step={step} />
    case "Element":
      return <ElementView step={step} />
  }
}

const EntryView = ({ step }: { readonly step: Formula.EntryStep }) => {
  const { digest, key, preimage, text } = step
  const isKeyFirst = preimage.length !== 64 || same(preimage.subarray(0, key.length), key)
  const slot = isKeyFirst ? preimage.subarray(key.length) : preimage.subarray(0, 32)
  const parts = [
    { name: text === undefined ? "the key" : "keccak-256 of the key", bytes: key, tone: "t2" },
    { name: "the mapping's slot", bytes: slot, tone: "t3" }
  ]
  return (
    <>
      <Preimage parts={isKeyFirst ? parts : parts.toReversed()} />
      <Digest digest={digest} says={`keccak-256 of these ${count(preimage.length, "byte")} is the slot`} />
    </>
  )
}

const ElementView = ({ step }: { readonly step: Formula.ElementStep }) => {
  const { content, first, index, perSlot, slot, slots } = step
  const add = (index / perSlot) * slots
  const why =
    perSlot > 1n
      ? `element ${grouped(index)}, ${perSlot} to a slot`
      : slots > 1n
        ? `element ${grouped(index)}, ${grouped(slots)} slots each`
        : `element ${grouped(index)}`
  return (
    <>
      {content === undefined ? null : content._tag === "Hashed" ? (
        <>
          <Preimage parts={[{ name: "the array's slot", bytes: content.preimage, tone: "t3" }]} />
          <Digest digest={content.digest} says="keccak-256 is the slot of the first element" />
        </>
      ) : (
        <p className="soft">The elements follow their length, from slot {numberText(first)} on.</p>
      )}
      <Sum from={first} add={add} to={slot} says={why} />
    </>
  )
}

const ContentView = ({ content, slot }: { readonly content: Formula.ContentFormula; readonly slot: bigint }) =>
  content._tag === "Hashed" ? (
    <>
      <Preimage parts={[{ name: "the slot", bytes: content.preimage, tone: "t3" }]} />
      <Digest
        digest={content.digest}
        says="keccak-256 is the slot of the first bytes, if they do not fit in the slot itself"
      />
    </>
  ) : (
    <p className="soft">They follow the length in slot {numberText(slot)}.</p>
  )

/** The bytes that are hashed, 16 to a row. */
const Preimage = ({
  parts
}: {
  readonly parts: ReadonlyArray<{ readonly name: string; readonly bytes: Uint8Array; readonly tone: string }>
}) => (
  <div className="preimage">
    {parts.map(({ bytes, name, tone }) => (
      <div key={name}>
        <p className="small soft">
          {name}, {count(bytes.length, "byte")}
        </p>
        <p className={`preimage-bytes ${tone}`}>
          {Array.from(bytes, (byte, at) => (
            <span key={at}>{digitsOf(byte)}</span>
          ))}
        </p>
      </div>
    ))}
  </div>
)

const Digest = ({ digest, says }: { readonly digest: Uint8Array; readonly says: string }) => (
  <div className="digest-of">
    <p className="small soft">{says}</p>
    <p className="whole">{`0x${Array.from(digest, digitsOf).join("")}`}</p>
  </div>
)

/** An addition: the numbers, and their sum below. */
const Sum = ({
  add,
  from,
  says,
  to
}: {
  readonly from: bigint
  readonly add: bigint
  readonly to: bigint
  readonly says: string
}) => (
  <dl className="sum">
    <dt className="spoken">the slot before</dt>
    <dd className="whole">{numberText(from)}</dd>
    <dt>{says}</dt>
    <dd className="whole">+ {grouped(add)}</dd>
    <dt>slot</dt>
    <dd className="whole total">{numberText(to)}</dd>
  </dl>
)

/** Formats a slot: a small slot as a number, and any other slot in full as hex. */
export const numberText = (slot: bigint): string =>
  slot < 1_000_000n ? grouped(slot) : `0x${slot.toString(16).padStart(64, "0")}`

const same = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((byte, i) => byte === b[i])
