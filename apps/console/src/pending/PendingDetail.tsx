/** Shows one pending transaction: its verdict with both hashes, and for each field whether the hash covers it. */
import { type CSSProperties, useState } from "react"

import { Hash } from "../look/Hash.tsx"
import { count } from "../look/TextFormats.ts"
import { VerdictChip } from "../look/VerdictMark.tsx"
import { versionOf } from "./PendingRows.tsx"
import { chainName, type PendingVerdict, type OpenedTransaction, type Preimage, type PendingRow } from "./Watch.ts"

/**
 * Returns the name of the field that a felt holds: `calldata` for `calldata[3]`, `resource_bounds` for one of its
 * members.
 */
const fieldOf = (name: string): string =>
  name === "tip" ? name : name === "data_availability_modes" ? name : name.replace(/[[.].*$/u, "")

/** True if a felt of the preimage holds a field. One felt holds both data availability modes. */
const holds = (felt: string, field: string): boolean =>
  fieldOf(felt) === field ||
  (felt === "data_availability_modes" && field.endsWith("_data_availability_mode")) ||
  (felt === "prefix" && field === "type")

/** The panel. `opened` is undefined until the worker thread has sent the fields. */
export const PendingDetail = ({
  closeHref,
  judged,
  opened,
  row
}: {
  readonly row: PendingRow
  readonly judged: PendingVerdict | undefined
  readonly opened: OpenedTransaction | undefined
  readonly closeHref: string
}) => {
  const [lit, setLit] = useState<string | undefined>(undefined)
  return (
    <section className="sheet" aria-label="The open transaction">
      <header>
        <h2>
          {row.type} <span>{versionOf(row.version)}</span>
        </h2>
        <a href={closeHref} className="small">
          Close
        </a>
      </header>
      <div className="inset stack below-header">
        <p>
          <Hash hex={row.hash} />
        </p>
        {judged === undefined ? (
          <p className="quiet">Its hash is being computed …</p>
        ) : (
          <>
            <p>
              <VerdictChip word={judged.word} />
            </p>
            <p className="soft">{SAYS[judged.word]}</p>
          </>
        )}
        {judged?.refuted === undefined ? null : <Differing {...judged.refuted} />}
      </div>
      {opened === undefined || judged === undefined ? null : (
        <>
          <div className="inset">
            <h3>Fields</h3>
            <p className="small quiet">
              {judged.word === "REFUTED"
                ? "The node's values. Their hash is not the transaction's hash, so none of them is shown as true."
                : "A filled square: the hash covers the field. A hollow one: it does not."}
            </p>
            <dl className="pending-fields">
              {opened.fields
                .filter(({ name }) => name !== "transaction_hash")
                .map(({ isHashed, lines, more, name, why }) => (
                  <div
                    key={name}
                    className={`${isHashed ? "hashed" : "loose"}${lit !== undefined && holds(lit, name) ? " lit" : ""}`}
                  >
                    <dt>
                      <i aria-hidden="true" />
                      {name}
                      <span className="spoken">{isHashed ? ", in the hash" : ", not in the hash"}</span>
                    </dt>
                    <dd>
                      {lines.length === 0 ? <span className="quiet">empty</span> : null}
                      {lines.map((line, at) => (
                        // the order of a value's lines never changes
                        // oxlint-disable-next-line react/no-array-index-key
                        <span key={at}>{line}</span>
                      ))}
                      {more === 0 ? null : <span className="quiet">{count(more, "more line")}</span>}
                      {why === undefined ? null : <em>{why}</em>}
                    </dd>
                  </div>
                ))}
            </dl>
          </div>
          {opened.preimage === undefined ? null : (
            <Hashing preimage={opened.preimage} named={row.hash} lit={lit} onLight={setLit} />
          )}
          {opened.claims.length === 0 ? null : (
            <div className="inset">
              <h3>Not covered by any hash</h3>
              <ul className="soft">
                {opened.claims.map((claim) => (
                  <li key={claim}>{claim}</li>
                ))}
              </ul>
            </div>
          )}
        </>
      )}
    </section>
  )
}

/** Shows the hashed felts one by one, with the hash below them, like a sum below its numbers. */
const Hashing = ({
  lit,
  named,
  onLight,
  preimage: { algorithm, hash, more, rows }
}: {
  readonly preimage: Preimage
  /** The hash that the node names. */
  readonly named: string
  readonly lit: string | undefined
  readonly onLight: (name: string | undefined) => void
}) => {
  const isSame = BigInt(named) === BigInt(hash)
  return (
    <div className="inset">
      <h3>What is hashed</h3>
      <p className="small quiet">
        {NAMES[algorithm]} over these felts, in this order. A felt that is the hash of a list has the list below it.
      </p>
      <ol className="pending-preimage">
        {rows.map(({ depth, felt, name, of }, at) => (
          // the pointer only highlights the field of the same name
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
          <li
            // a list may have the same felt twice
            // oxlint-disable-next-line react/no-array-index-key
            key={at}
            className={lit !== undefined && fieldOf(lit) === fieldOf(name) ? "lit" : ""}
            style={{ "--depth": depth } as CSSProperties}
            onMouseEnter={() => onLight(name)}
            onMouseLeave={() => onLight(undefined)}
          >
            <span>
              {name}
              {of === undefined ? null : <small> hash of {of === 0 ? "an empty list" : count(of, "felt")}</small>}
            </span>
            <code>
              {felt}
              {name === "prefix" || name === "chain_id" ? <small>{chainName(felt)}</small> : null}
            </code>
          </li>
        ))}
        {more === 0 ? null : <li className="quiet">{count(more, "more felt")}</li>}
        <li className="sum">
          <span>
            <b aria-hidden="true">= </b>
            {isSame ? "the transaction's hash" : "another hash than the node names"}
          </span>
          <code className={isSame ? "" : "wrong"}>{hash}</code>
        </li>
      </ol>
    </div>
  )
}

const NAMES: Readonly<Record<Preimage["algorithm"], string>> = { pedersen: "Pedersen", poseidon: "Poseidon" }

const SAYS = {
  VERIFIED: "This page hashed the fields. The result is the transaction's hash.",
  CLAIMED: "Only the node says this. Its hash could not be made from the fields.",
  REFUTED: "The fields do not give the transaction's hash. The node changed one of the two."
} as const

/** Two values that should be the same. */
const Differing = ({ check, expected, got }: NonNullable<PendingVerdict["refuted"]>) => {
  const isHash = check === "transaction hash"
  return (
    <div className="differing" role="alert">
      <dl>
        <dt>{isHash ? "the node names" : "it must be"}</dt>
        <dd className="whole">{expected}</dd>
        <dt>
          <b aria-hidden="true">≠ </b>
          {isHash ? "this page computes" : "the node says"}
        </dt>
        <dd className="whole">{got}</dd>
        <dt className="spoken">the check</dt>
        <dd className="small soft">{check}</dd>
      </dl>
    </div>
  )
}
