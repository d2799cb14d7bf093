/**
 * Shows fields next to their bytes, with the digest below. Pointing at a field highlights its bytes, and pointing at
 * bytes highlights their field.
 */
import "./explorer.css"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import { type ReactNode, useMemo, useState } from "react"

import { Hash } from "../look/Hash.tsx"
import { count, digitsOf } from "../look/TextFormats.ts"
import { ByteRows, tonesOf } from "../parts/ByteRows.tsx"
import type { ProofSubject } from "../proof/ProofSubject.ts"
import { valueOf } from "../proof/ProofWording.ts"
import * as RlpFields from "../proof/RlpFields.ts"
import type { StationCell } from "../proof/Station.ts"

/** The fields of an encoding, its bytes and their digest. */
export const FieldBytes = ({
  beside,
  bytes,
  expected,
  expectedName,
  form,
  linkOf,
  title
}: {
  readonly title: ReactNode
  readonly form: RlpFields.FieldForm
  readonly bytes: Uint8Array
  /** The hash that the bytes must have, and a name for it, such as `your hash`. */
  readonly expected: string
  readonly expectedName: string
  /** Returns the link to the microscope for a field. */
  readonly linkOf: (field: string) => string
  /** Returns a note about a field, to be shown after the field's value. */
  readonly beside?: (field: RlpFields.Field) => ReactNode
}) => {
  const fields = useMemo(() => RlpFields.read(form, bytes) ?? [], [form, bytes])
  const cells = useMemo(
    () =>
      fields.map(({ head, length, name, offset }): StationCell => ({
        name,
        offset,
        head,
        length,
        state: "open",
        isInRow: true
      })),
    [fields]
  )
  const tones = useMemo(() => tonesOf(cells, -1), [cells])
  const digest = useMemo(() => Keccak256.hashHex(bytes), [bytes])
  const [lit, setLit] = useState<number | undefined>(undefined)
  const [byte, setByte] = useState<number | undefined>(undefined)
  const at =
    lit ??
    cells.findIndex(({ head, length, offset }) => byte !== undefined && byte >= offset && byte < offset + head + length)
  const field = fields[at]
  return (
    <section className="sheet">
      <header>
        <h2>{title}</h2>
        <span className="small quiet">Point at a field to see its bytes, at a byte to see its field</span>
      </header>
      <div className="beside">
        <ol className="fields">
          {fields.map((field, i) => (
            // the button inside selects a field; the pointer only highlights it
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
            <li
              key={field.name}
              className={i === at ? "lit" : ""}
              onMouseEnter={() => setLit(i)}
              onMouseLeave={() => setLit(undefined)}
            >
              <i className={tones[i]} style={{ background: "currentColor" }} />
              <button
                type="button"
                className="field-name"
                onFocus={() => setLit(i)}
                onBlur={() => setLit(undefined)}
                onClick={() => setByte(field.offset + field.head)}
              >
                {field.name}
              </button>
              <span className="shown">
                <Shown form={form} field={field} href={linkOf(field.name)} />
                {beside === undefined ? null : beside(field)}
              </span>
              <span className="size">{field.head + field.length} B</span>
            </li>
          ))}
        </ol>
        <div className="bytes-side">
          <div className="inset">
            <ByteRows
              bytes={bytes}
              cells={cells}
              taken={-1}
              selected={byte}
              onSelect={setByte}
              lit={at}
              onField={setLit}
              isWide
              label="The bytes"
            />
          </div>
          <p className="digest">
            <span>
              keccak-256 of {count(bytes.length, "byte")} = <Hash hex={digest} />
            </span>
            <b>{digest === expected.toLowerCase() ? `Equal to ${expectedName}` : `Not equal to ${expectedName}`}</b>
          </p>
          {field === undefined ? null : (
            <div className={`about ${tones[at]}`} style={{ background: "none" }}>
              <b>{field.name}</b>{" "}
              <span className="quiet">
                {count(field.head + field.length, "byte")} from {field.offset}
              </span>
              <p>{headText(field, bytes)}</p>
            </div>
          )}
        </div>
      </div>
    </section>
  )
}

/** Explains the head of an RLP item. */
const headText = ({ head, items, length, offset }: RlpFields.Field, bytes: Uint8Array): ReactNode => {
  if (head === 0) return "One byte below 80 is its own encoding."
  const digits = Array.from(bytes.subarray(offset, offset + head), digitsOf).join(" ")
  return (
    <>
      <code>{digits}</code> says that{" "}
      {items === undefined
        ? count(length, "byte")
        : `a list of ${count(items, "item")}, ${count(length, "byte")} long,`}{" "}
      follow
      {items === undefined && length !== 1 ? "" : "s"}.
    </>
  )
}

/** A value as a link to its proof. */
const Shown = ({
  field,
  form,
  href
}: {
  readonly field: RlpFields.Field
  readonly form: RlpFields.FieldForm
  readonly href: string
}) => {
  const kind = RlpFields.kindOf(form, field)
  const subject: ProofSubject = { _tag: "Header", field: field.name }
  if (kind === "bytes" && (field.length === 32 || field.length === 20)) {
    const hex = `0x${Array.from(field.content, digitsOf).join("")}`
    return <Hash hex={hex} link={{ href }} />
  }
  const { also, main } = valueOf({ bytes: field.content, absent: false, kind }, subject)
  const bits = field.name === "logsBloom" ? `${bitsIn(field.content)} of 2,048 bits set` : undefined
  return (
    <>
      <a className="value" href={href}>
        {bits ?? (kind === "list" ? count(field.items ?? 0, "item") : main)}
      </a>
      {also === undefined ? null : <span className="also">{also}</span>}
    </>
  )
}

const bitsIn = (bytes: Uint8Array): number =>
  bytes.reduce((sum, byte) => sum + byte.toString(2).replaceAll("0", "").length, 0)
