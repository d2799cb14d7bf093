/** The rows that every line of proof has: a row with its three columns, and the rows from the anchor down to the header. */
import type { CSSProperties, ReactNode } from "react"

import type { ProofAnchor } from "../chain/GatherEvidence.ts"
import { Hash } from "../look/Hash.tsx"
import { count } from "../look/TextFormats.ts"
import { CommitteePositions } from "./CommitteePositions.tsx"

/** A row of the proof: names at the left, the line in the middle, checks at the right. */
export const Stop = ({
  check,
  children,
  className = "",
  index,
  name
}: {
  readonly index: number
  readonly className?: string
  readonly name?: ReactNode
  readonly check?: ReactNode
  readonly children?: ReactNode
}) => (
  <li className={`stop ${className}`} style={{ "--i": index } as CSSProperties}>
    <div className="name">{name}</div>
    <div className="mid">{children}</div>
    <div className="check">{check}</div>
  </li>
)

/** The sentence beside the signature of a committee. */
const CHECKED: Readonly<Record<Extract<ProofAnchor, { readonly _tag: "LightClient" }>["anchor"]["finality"], string>> =
  {
    finalized: "one BLS check, 2/3 needed",
    optimistic: "one BLS check; it can still be reorganised",
    forced: "one BLS check; forced after a period without finality",
    checkpoint: "no signature was needed"
  }

/** Adds a row to a line of proof. */
export type StopOf = (key: string, props: Omit<Parameters<typeof Stop>[0], "index">) => void

/** The rows above the header: the anchor, and the steps from it to the header. */
export const anchorRows = (nail: ProofAnchor, between: number, stop: StopOf): void => {
  if (nail._tag === "None") {
    stop("nail", {
      className: "first",
      name: (
        <>
          <b>Nothing above</b>
          <small>no hash that you trust</small>
        </>
      )
    })
    return
  }
  if (nail._tag === "Rollup") {
    anchorRows(nail.l1, 0, stop)
    const { chainId, game, gameType, state } = nail.anchor
    stop(`rollup ${chainId}`, {
      className: "knot",
      name: (
        <>
          <b>Contracts of L1</b>
          <small>
            {game === undefined ? `${state}, without a game` : `${state}, game of type ${gameType}: ${game}`}
          </small>
        </>
      ),
      check: "storage proofs, and the hash of the output"
    })
    betweenRow(between, stop)
    return
  }
  const isPinned = nail._tag === "Pinned"
  stop("nail", {
    className: "first",
    name: (
      <>
        <b>You trust this</b>
        <small>{isPinned ? "the hash of a block" : "a checkpoint of the beacon chain"}</small>
      </>
    ),
    check: "nailed by you, once",
    children: <div className="nail" />
  })
  if (!isPinned) {
    const { checkpoint, finality, participation, slot } = nail.anchor
    const [signed, size] = participation
    stop("checkpoint", {
      className: "knot",
      children: <Hash hex={checkpoint} />,
      check: "the committee it leads to"
    })
    stop("committee", {
      name: (
        <>
          <b>Committee signature</b>
          <small>
            {finality === "checkpoint" ? "the checkpoint itself" : `${signed} of ${size} signed, slot ${slot}`}
          </small>
        </>
      ),
      children: nail.seats === undefined ? undefined : <CommitteePositions seats={nail.seats} />,
      check: CHECKED[finality]
    })
  }
  betweenRow(between, stop)
}

/** The row of the blocks between the anchor's block and this one, if they are too many to be shown. */
const betweenRow = (between: number, stop: StopOf): void => {
  if (between > 0) {
    stop("between", {
      className: "thin",
      name: <b>{count(between, "block")} between</b>,
      check: "each names the one before"
    })
  }
}
