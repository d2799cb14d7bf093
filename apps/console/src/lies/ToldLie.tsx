/**
 * Shows one lie that was told: the broken line of hashes, the check that catches the lie, the change, and the clients
 * that believe it.
 */
import type { Lie } from "@plumbline/tamper/lie/Lie"
import { useMemo, useState } from "react"

import type * as Proving from "../chain/Proving.ts"
import { Table, TableRow } from "../look/Table.tsx"
import { count, short } from "../look/TextFormats.ts"
import { VerdictWord } from "../look/VerdictMark.tsx"
import { ProofPathView } from "../microscope/ProofPathView.tsx"
import { checkPath, type ProofPath } from "../proof/ProofPath.ts"
import * as ProofSubject from "../proof/ProofSubject.ts"
import type { LieFate } from "./Believers.ts"
import type { LieScene } from "./LieScenarios.ts"
import type { LieOutcome } from "./TellLie.ts"

/** The parts that show one lie. */
export const ToldLie = ({
  fates,
  lie,
  scene,
  told
}: {
  readonly lie: Lie
  readonly scene: LieScene
  readonly told: LieOutcome
  readonly fates: ReadonlyArray<LieFate>
}) => {
  const proofPath = useMemo(() => proofPathOf(scene, told), [scene, told])
  const { gathered } = told
  const [chosen, setChosen] = useState<string | undefined>(undefined)
  const hasLine = proofPath !== undefined && gathered !== undefined && scene.subject !== undefined
  return (
    <>
      <div className={hasLine ? "scope split" : "scope split alone"}>
        {hasLine ? (
          <ProofPathView
            proofPath={proofPath}
            gathered={gathered}
            verdict="REFUTED"
            chosen={chosen}
            onChoose={setChosen}
            subjectName={ProofSubject.nameOf(scene.subject)}
            value={undefined}
          />
        ) : null}
        <Check told={told} scene={scene} />
      </div>
      <div className="abreast mt-4">
        <Changes lie={lie} told={told} />
        <Believed fates={fates} />
      </div>
    </>
  )
}

/**
 * Checks the bytes that were read through the lie. If all bytes are true, the lie is in a statement that comes without
 * proof. The chain of hashes then holds down to its last row, and is drawn as broken between that row and the value.
 */
const proofPathOf = ({ subject }: LieScene, { gathered, outcome }: LieOutcome): ProofPath | undefined => {
  if (subject === undefined || gathered === undefined || outcome._tag !== "REFUTED") return undefined
  const proofPath = checkPath(gathered.evidence, subject)
  if (proofPath.broken !== undefined) return proofPath
  const { check, expected, got } = outcome
  return { ...proofPath, value: undefined, broken: { station: proofPath.stations.length, check, expected, got } }
}

/** Shows the question, and the verifier's outcome for the answer. */
const Check = ({ scene, told }: { readonly scene: LieScene; readonly told: LieOutcome }) => {
  const { outcome, question } = told
  return (
    <section className="sheet caught" aria-label="The verifier's answer">
      <header>
        <h2>{HEADS[outcome._tag]}</h2>
      </header>
      <div className="inset stack below-header">
        <Said outcome={outcome} />
      </div>
      <div className="inset stack">
        <h3>The question</h3>
        <p className="whole">
          {question.method}({question.params.map(paramText).join(", ")})
        </p>
        <p className="small soft">
          The service answers truthfully. The page then tells the lie to itself, between that answer and its verifier.{" "}
          {scene.note}
        </p>
        <p className="small soft">
          It trusts the hash of block {String(scene.trusted.number)}, as the service named it before the lie:{" "}
          <span className="whole">{scene.trusted.hash}</span>
        </p>
      </div>
    </section>
  )
}

const HEADS = {
  REFUTED: "The check that catches it",
  CLAIMED: "No check can catch it",
  FAILED: "No answer",
  VERIFIED: "The truth, proven without it"
} as const

const Said = ({ outcome }: { readonly outcome: Proving.ProvingOutcome }) => {
  switch (outcome._tag) {
    case "REFUTED":
      return (
        <>
          <p>
            <VerdictWord word="REFUTED" /> <b className="mono check-name">{outcome.check}</b>
          </p>
          <dl className="both expected terms small">
            <dt>expected</dt>
            <dd className="whole">{outcome.expected}</dd>
            <dt>got</dt>
            <dd className="whole wrong">{outcome.got}</dd>
          </dl>
        </>
      )
    case "FAILED":
      return (
        <>
          <p className="mono">{outcome.failure.kind}</p>
          <p className="soft">{outcome.failure.message}. Nothing is claimed or refuted.</p>
        </>
      )
    default:
      return (
        <>
          <p>
            <VerdictWord word={outcome._tag} /> <span className="mono">{short(String(outcome.result))}</span>
          </p>
          {[...new Set(outcome.claimed.map(({ reason }) => reason))].map((reason) => (
            <p key={reason} className="soft">
              {reason}
            </p>
          ))}
        </>
      )
  }
}

const paramText = (param: unknown): string => {
  const text = JSON.stringify(param)
  return text.length > 90 ? `${text.slice(0, 60)}…${text.slice(-8)}` : text
}

/** The places in the answer that the lie changes. */
const Changes = ({ lie, told: { changed, changes } }: { readonly lie: Lie; readonly told: LieOutcome }) => (
  <section className="sheet">
    <header>
      <h2>
        What the lie changes <span>{changed > changes.length ? count(changed, "place") : null}</span>
      </h2>
    </header>
    {changes.length === 0 ? (
      <p className="inset soft below-header">
        {lie.how._tag === "Line"
          ? "No value: the answer itself does not arrive as it should."
          : "Nothing in this answer."}
      </p>
    ) : (
      <Table
        className="changes"
        columns={[
          { name: "field", className: "mono" },
          { name: "truth", className: "mono" },
          { name: "told", className: "mono" }
        ]}
      >
        {changes.map(({ path, told, truth }) => (
          <TableRow
            key={path}
            cells={[
              path,
              <span key="truth" title={truth}>
                {short(truth)}
              </span>,
              <span key="told" title={told}>
                {short(told)}
              </span>
            ]}
          />
        ))}
      </Table>
    )}
    <p className="inset small soft">
      {lie.methods.length === 0
        ? "Any answer can have this fault."
        : `A careful liar changes all of these alike: ${lie.methods.join(", ")}.`}
    </p>
  </section>
)

/** The words for each result of a program that was lied to. */
const FATES: Readonly<Record<string, string>> = {
  believed: "believes it",
  refused: "ends with an error",
  unmoved: "prints the truth",
  "not asked": "does not ask for it",
  hung: "waits for ever"
}

/** The other clients, and the reaction of each to the lie. */
const Believed = ({ fates }: { readonly fates: ReadonlyArray<LieFate> }) => (
  <section className="sheet">
    <header>
      <h2>
        Who believes it <span>measured with each program unchanged</span>
      </h2>
    </header>
    <Table columns={["Program", "Reaction"]} isHeadSpoken>
      {fates.map(({ fate, program }) => (
        <TableRow
          key={program}
          cells={[
            program,
            <span key="reaction" className={fate === "believed" || fate === "hung" ? "strong" : "soft"}>
              {FATES[fate] ?? fate}
            </span>
          ]}
        />
      ))}
    </Table>
  </section>
)
