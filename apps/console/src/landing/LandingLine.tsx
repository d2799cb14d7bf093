/** The line of the landing: a value with its proof, which the reader can break. */
import "../microscope/microscope.css"
import * as Option from "effect/Option"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { type ReactNode, useState } from "react"

import { Digits } from "../look/Digits.tsx"
import { short } from "../look/TextFormats.ts"
import { registry, useAtom } from "../look/useAtom.ts"
import { VerdictChip } from "../look/VerdictMark.tsx"
import { ProofPathView } from "../microscope/ProofPathView.tsx"
import { sentenceOf } from "../microscope/proofVerdict.ts"
import { useFlippedProof } from "../microscope/useFlippedProof.ts"
import { ReadState } from "../parts/ReadState.tsx"
import type { BitFlip, ProofPath } from "../proof/ProofPath.ts"
import * as ProofSubject from "../proof/ProofSubject.ts"
import { valueOf } from "../proof/ProofWording.ts"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import * as Router from "../route/Router.ts"
import { keyOf, type LandingProof, proof } from "./landingProof.ts"
import { LineSkeleton } from "./LineSkeleton.tsx"
import { recorded } from "./recordedProof.ts"

/** The line of a network. Without one, it is a recorded line, for a reader who has no key. */
const LandingLine = ({
  network,
  trust
}: {
  readonly network: string | undefined
  readonly trust: string | undefined
}) =>
  network === undefined ? (
    <Line proof={recorded} isJudged={false} where="in block 69 of the history chain, recorded with this page" />
  ) : (
    <NetworkLine network={network} trust={trust} />
  )

/** The line of a network that the page can read. Without an anchor, nothing is judged yet. */
const NetworkLine = ({ network, trust }: { readonly network: string; readonly trust: string | undefined }) => {
  const [at, setAt] = useState(0)
  const atom = proof(keyOf(network, trust, at))
  const result = useAtom(atom)
  // the last line stays until the next one is read
  const [last, setLast] = useState<LandingProof | undefined>(undefined)
  const found = Option.getOrUndefined(AsyncResult.value(result))
  if (found !== undefined && found !== last) setLast(found)
  const shown = found ?? (AsyncResult.isFailure(result) ? undefined : last)
  if (shown === undefined) {
    return (
      <ReadState
        result={result}
        what={`a proof of ${network}`}
        again={() => registry.refresh(atom)}
        waiting={<LineSkeleton />}
      >
        {() => null}
      </ReadState>
    )
  }
  const { block } = shown.gathered
  return (
    <Line
      key={`${block.hash} ${ProofSubject.toPath(shown.subject).join("/")} ${trust ?? ""}`}
      proof={shown}
      isJudged={trust !== undefined}
      where={
        <>
          in{" "}
          <a href={ConsoleRoute.link({ _tag: "Block", network, block: block.hash, trust }).href}>
            block {String(block.number)}
          </a>{" "}
          of {network}
        </>
      }
      onRow={(station) =>
        Router.go({ _tag: "Proof", network, block: block.hash, subject: shown.subject, trust, at: station })
      }
      liesHref={ConsoleRoute.link({ _tag: "Lies", network }).href}
      onNext={() => setAt(at + 1)}
    />
  )
}

const Line = ({
  isJudged,
  liesHref,
  onNext,
  onRow,
  proof: { gathered, subject },
  where
}: {
  readonly proof: LandingProof
  /** False if the reader accepted no anchor: then the line has no verdict. A break is always shown. */
  readonly isJudged: boolean
  readonly where: ReactNode
  readonly onRow?: ((station: string) => void) | undefined
  readonly liesHref?: string | undefined
  readonly onNext?: (() => void) | undefined
}) => {
  const { flips, proofPath, setFlips, verdict } = useFlippedProof(gathered, subject)
  const value = proofPath.value === undefined ? undefined : valueOf(proofPath.value, subject)
  const isBroken = flips.length > 0
  const hasVerdict = isJudged || verdict === "REFUTED"
  return (
    <section className={`landing-line${hasVerdict ? "" : " unjudged"}`} aria-label="A value and its proof">
      <div className="lead">
        <div>
          <p className="soft">
            {ProofSubject.nameOf(subject)} {"address" in subject ? `of ${short(subject.address)} ` : ""}
            {where}
          </p>
          <p className={value === undefined ? "landing-value amount none" : "landing-value amount"}>
            <Digits>{value?.main ?? "No value"}</Digits>
          </p>
        </div>
        {hasVerdict ? <VerdictChip word={verdict} large /> : null}
      </div>
      <p className="soft landing-says" role="status">
        {hasVerdict
          ? sentenceOf(verdict, proofPath, gathered, isBroken)
          : `Checked in this browser: ${proofPath.hashes} hashes fit into each other. The first hangs from nothing yet.`}
      </p>
      <p className="row wrap">
        {onNext === undefined ? null : (
          <button type="button" className="button" onClick={onNext}>
            Another example
          </button>
        )}
        <button type="button" className="button" onClick={() => setFlips(isBroken ? [] : [middleBit(proofPath)])}>
          {isBroken ? "Mend it" : "Break it"}
        </button>
        {liesHref === undefined ? null : (
          <a className="button" href={liesHref}>
            See a lie
          </a>
        )}
      </p>
      <div className="scope">
        <ProofPathView
          proofPath={proofPath}
          gathered={gathered}
          verdict={verdict}
          chosen={undefined}
          onChoose={onRow ?? NOTHING}
          subjectName={ProofSubject.nameOf(subject)}
          value={value}
        />
      </div>
    </section>
  )
}

const NOTHING = (): void => undefined

/** Returns a bit in the middle of the line: of the first node of a trie, or of the header. */
const middleBit = ({ stations }: ProofPath): BitFlip => {
  const { bytes, id } = stations.find(({ kind, named }) => kind !== "header" && named !== undefined) ?? stations[0]!
  return { station: id, byte: Math.floor(bytes.length / 2), bit: 0 }
}

export default LandingLine
