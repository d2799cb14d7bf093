/** Draws the blocks below a CID: each is connected to the link that names it. The line to a wrong block is broken. */
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import type * as Dag from "@plumbline/ipfs-client/dag/Dag"
import type { CSSProperties, ReactNode } from "react"

import { bytes, count } from "../look/TextFormats.ts"
import { VerdictStrip } from "../parts/VerdictStrip.tsx"
import { CidLink } from "./CidLink.tsx"
import * as ContentReads from "./ContentReads.ts"
import { DEEPEST, linesBeside } from "./dagLines.ts"

/** The picture. */
export const DagPicture = ({
  picture,
  views
}: {
  readonly picture: ContentReads.BlockWalk
  readonly views: ReactNode
}) => {
  const { broken, isCut, root, steps } = picture
  const isRefuted = broken?._tag === "RefutedError"
  const byCid = new Map(steps.map((step) => [Cid.toText(step.cid), step]))
  const most = steps.reduce((sum, step) => Math.max(sum, step.bytes.length), 1)
  const all = steps.reduce((sum, step) => sum + step.bytes.length, 0)
  const parent = broken === undefined ? undefined : parentOf(broken, steps)
  const last = broken === undefined ? undefined : parent === undefined ? 0 : parent.depth + 1
  const lines = linesBeside([...steps.map(({ depth }) => depth), ...(last === undefined ? [] : [last])])
  return (
    <>
      <div className="lead">
        <div>
          <h1>{isCut ? `The first ${count(steps.length, "block")}` : count(steps.length, "block")}</h1>
          <p className="soft row wrap">
            <span>{bytes(all)} in all. Each block is named by a hash in the block above it.</span>
            <CidLink cid={root} isCopied />
          </p>
        </div>
        <VerdictStrip word={isRefuted ? "REFUTED" : broken === undefined ? "VERIFIED" : "CLAIMED"}>
          {isRefuted
            ? "The service sent a block whose bytes are not those of its name."
            : broken === undefined
              ? "Every block was hashed in this browser, from the CID down."
              : "The walk ended before the last block. What is drawn was hashed in this browser."}
        </VerdictStrip>
      </div>
      <section className="sheet">
        <header>
          {views}
          <span className="small soft">deepest: {count(Math.max(0, ...steps.map(({ depth }) => depth)), "link")}</span>
        </header>
        <ol className="dag">
          {steps.map((step, at) => (
            <Node key={Cid.toText(step.cid)} step={step} most={most} nameOf={byCid} lines={lines[at]!} />
          ))}
          {broken === undefined || last === undefined ? null : <Broken broken={broken} depth={last} />}
        </ol>
        {isCut ? (
          <p className="inset small quiet">
            There are more blocks. The picture has {ContentReads.MAX_BLOCKS} of them; open one further down to see those
            below it.
          </p>
        ) : null}
      </section>
    </>
  )
}

const indented = (depth: number): CSSProperties => ({ "--depth": Math.min(depth, DEEPEST) }) as CSSProperties

const Node = ({
  lines,
  most,
  nameOf,
  step
}: {
  readonly lines: ReadonlyArray<number>
  readonly step: Dag.WalkStep
  readonly most: number
  readonly nameOf: ReadonlyMap<string, Dag.WalkStep>
}) => {
  const { bytes: block, cid, codec, depth, links, parent } = step
  const link = parent === null ? undefined : nameOf.get(Cid.toText(parent.cid))?.links[parent.link]
  const name = link?.name === undefined || link.name === "" ? undefined : link.name
  return (
    <li style={indented(depth)}>
      {lines.map((line) => (
        <i key={line} className="dag-line" style={indented(line)} />
      ))}
      <div className="dag-node">
        <span className="dag-name ellipsis">
          <b>{parent === null ? "root" : (name ?? `link ${parent.link}`)}</b>{" "}
          <span className="quiet">level {depth}</span>
        </span>
        <CidLink cid={cid} view="dag" />
        <span className="soft">{codec ?? `codec ${cid.code}`}</span>
        <span className="soft">{links.length === 0 ? "leaf" : count(links.length, "link")}</span>
        <span className="end">{bytes(block.length)}</span>
        <span className="dag-size" aria-hidden="true">
          <i style={{ width: `${Math.max(1, Math.round((block.length / most) * 100))}%` }} />
        </span>
      </div>
    </li>
  )
}

/** Finds the block with the link that names the wrong block. */
const parentOf = (
  broken: NonNullable<ContentReads.BlockWalk["broken"]>,
  steps: ReadonlyArray<Dag.WalkStep>
): Dag.WalkStep | undefined => {
  const { cid, subject } = broken as { readonly cid?: unknown; readonly subject?: unknown }
  const wanted = typeof subject === "string" ? subject : cid
  return steps.findLast(({ links }) => links.some((link) => Cid.toText(link.cid) === wanted))
}

const Broken = ({
  broken,
  depth
}: {
  readonly broken: NonNullable<ContentReads.BlockWalk["broken"]>
  readonly depth: number
}) => {
  const { check, expected, got, subject } = broken as {
    readonly subject?: string
    readonly check?: string
    readonly expected?: string
    readonly got?: string
  }
  const isRefuted = broken._tag === "RefutedError"
  return (
    <li style={indented(depth)} className={isRefuted ? "broken" : "loose"}>
      <div className="dag-node" role="alert">
        <b>{isRefuted ? "The line breaks here" : "The walk ended here"}</b>
        {isRefuted ? (
          <dl className="dag-hashes">
            <dt>block</dt>
            <dd className="whole">{subject}</dd>
            <dt>{check} in its name</dt>
            <dd className="whole">{expected}</dd>
            <dt>≠ of the bytes that came</dt>
            <dd className="whole">{got}</dd>
          </dl>
        ) : (
          <span className="soft">{broken.message.slice(0, 300)}</span>
        )}
      </div>
    </li>
  )
}
