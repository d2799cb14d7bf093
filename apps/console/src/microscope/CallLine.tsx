/**
 * The line of proof of a call: from the anchor over the header to the accounts, slots and codes that the call read, and
 * to its result. Each of them opens in the microscope.
 */
import "./microscope.css"
import type { CallBasis, ReadAccount } from "@plumbline/eth-methods/call/CallEngine"
import type * as Anchor from "@plumbline/verdict/Anchor"
import * as Hardforks from "@plumbline/verified-calls/rules/Hardforks"
import { type ReactNode, useState } from "react"

import { type ProofAnchor, proofAnchorOf } from "../chain/GatherEvidence.ts"
import { Hash } from "../look/Hash.tsx"
import { count, grouped, short } from "../look/TextFormats.ts"
import type { ProofSubject } from "../proof/ProofSubject.ts"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import { anchorRows, Stop, type StopOf } from "./ProofRows.tsx"
import { ValueMarker } from "./ValueMarker.tsx"

/** Number of accounts, and of slots of one account, that are shown before the reader unfolds them. */
const FIRST = 6

/** A call that was run in this page. */
export interface ShownCall {
  readonly basis: CallBasis
  /** The anchor of the verdict; undefined if nothing that the reader trusts leads to the block. */
  readonly anchor: Anchor.Anchor | undefined
  /** The result in a few words. */
  readonly result: string
}

/** The line. */
export const CallLine = ({
  anchor,
  basis,
  network,
  result,
  trust
}: ShownCall & { readonly network: string; readonly trust: string | undefined }) => {
  const [isOpen, setOpen] = useState(false)
  const { accounts, block, blockHashes, chainId, gasUsed, hardfork } = basis
  const link = (subject: ProofSubject) => ConsoleRoute.link({ _tag: "Proof", network, block, subject, trust })
  const rows: Array<ReactNode> = []
  const stop: StopOf = (key, props) => {
    rows.push(<Stop key={key} index={rows.length} {...props} />)
  }
  anchorRows(nailOf(anchor), 0, stop)
  if (anchor !== undefined && anchor.hash !== block) {
    stop("between", { className: "thin", name: <b>Blocks between</b>, check: "each names the one before" })
  }
  stop("block", { className: "knot", children: <Hash hex={block} />, check: "the hash of the block" })
  stop("header", {
    name: (
      <>
        <b>Header</b>
        <small>
          <a href={link({ _tag: "Header", field: "stateRoot" }).href}>open the bytes</a>
        </small>
      </>
    ),
    children: <span className="part">stateRoot</span>,
    check: "names the state that the call saw"
  })
  for (const account of isOpen ? accounts : accounts.slice(0, FIRST)) {
    const { address, code, exists, slots } = account
    stop(address, {
      className: "read",
      name: (
        <>
          <Hash hex={address} link={ConsoleRoute.link({ _tag: "Account", network, address, block, trust })} />
          <small>{exists ? "account" : "proven absent"}</small>
        </>
      ),
      children: <Reads account={account} link={link} />,
      check: [slots.length === 0 ? "" : count(slots.length, "slot"), code === undefined ? "" : `code ${short(code)}`]
        .filter((text) => text !== "")
        .join(", ")
    })
  }
  if (accounts.length > FIRST && !isOpen) {
    stop("more", {
      children: (
        <button type="button" className="part plain" onClick={() => setOpen(true)}>
          {count(accounts.length - FIRST, "more account")}
        </button>
      )
    })
  }
  if (blockHashes.length > 0) {
    stop("hashes", {
      name: <b>Older block hashes</b>,
      children: <span className="part">{blockHashes.slice(0, FIRST).map(grouped).join(" · ")}</span>,
      check: "each proven under this header"
    })
  }
  stop("run", {
    name: (
      <>
        <b>Run in this page</b>
        <small>not asked of the node</small>
      </>
    ),
    children: (
      <span className="part">
        rules of {hardfork}
        {Hardforks.of(chainId) === undefined ? ", as this service names them" : ""}
      </span>
    ),
    check: `${grouped(gasUsed)} gas`
  })
  stop("value", {
    className: "last",
    name: <b>Result</b>,
    children: <ValueMarker text={result} />
  })
  return (
    <ol className={`line call ${anchor === undefined ? "claimed" : "verified"}`} aria-label="The proof of the call">
      {rows}
    </ol>
  )
}

const nailOf = (anchor: Anchor.Anchor | undefined): ProofAnchor => {
  switch (anchor?._tag) {
    case "Block":
    case "LightClient":
    case "Rollup":
      return proofAnchorOf(anchor)
    default:
      return { _tag: "None", why: "no hash that you trust" }
  }
}

/** The parts of an account that the call read. */
const Reads = ({
  account: { address, code, slots },
  link
}: {
  readonly account: ReadAccount
  readonly link: (subject: ProofSubject) => { readonly href: string }
}) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <span className="part">
      {code === undefined && slots.length === 0 ? (
        <a href={link({ _tag: "Account", address, field: "balance" }).href}>account</a>
      ) : null}
      {code === undefined ? null : <a href={link({ _tag: "Account", address, field: "code" }).href}>code</a>}
      {(isOpen ? slots : slots.slice(0, FIRST)).map((slot) => (
        <a key={slot} href={link({ _tag: "Slot", address, slot }).href} title={slot}>
          slot {slotName(slot)}
        </a>
      ))}
      {slots.length > FIRST && !isOpen ? (
        <button type="button" className="plain" onClick={() => setOpen(true)}>
          {grouped(slots.length - FIRST)} more
        </button>
      ) : null}
    </span>
  )
}

/** Returns a small position as a number, and a hash in its short form. */
const slotName = (slot: string): string => (BigInt(slot) < 65_536n ? String(BigInt(slot)) : short(slot))
