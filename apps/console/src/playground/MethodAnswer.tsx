/** Shows an answer and its verdict. A refuted value is never shown. */
import type * as Anchor from "@plumbline/verdict/Anchor"
import { lazy, type ReactNode, Suspense, useState } from "react"

import type * as Proving from "../chain/Proving.ts"
import { Copied, Hash } from "../look/Hash.tsx"
import { count } from "../look/TextFormats.ts"
import { VerdictChip } from "../look/VerdictMark.tsx"
import { Code } from "../parts/Code.tsx"
import { Unaccepted } from "../parts/ReadState.tsx"
import { RetryAfterNote } from "../parts/RetryAfterNote.tsx"

const CallLine = lazy(() => import("../microscope/CallLine.tsx").then(({ CallLine }) => ({ default: CallLine })))

/** Number of lines of an answer that are shown before the reader unfolds it. */
const FOLD = 18

/** Maximum number of characters of an answer that are shown; the button copies all of it. */
const MOST = 200_000

/** The sheets below the request. */
export const MethodAnswer = ({
  again,
  answered: { outcome, question, sent },
  at,
  onTrust,
  refused
}: {
  readonly answered: Proving.Answered
  /** The network and the trust of the question, for links to the proof of a call. */
  readonly at?: { readonly network: string; readonly trust: string | undefined } | undefined
  /**
   * Called with a hash that the reader trusts, to prove the answer from that block. Undefined if the answer does not
   * depend on a block.
   */
  readonly onTrust?: ((hash: string) => void) | undefined
  readonly again: () => void
  /** The next step after a refused key. Default: a field for another key. */
  readonly refused?: ReactNode
}) => (
  <div aria-live="polite" className="answer" data-outcome={outcome._tag}>
    <section className="sheet" aria-label="Answer">
      <header>
        <h2>Answer</h2>
        {"result" in outcome ? <Copied text={JSON.stringify(outcome.result, null, 2)} label="Copy" /> : null}
      </header>
      {"result" in outcome ? (
        <Folded key={JSON.stringify(outcome.result)?.slice(0, 200)} value={outcome.result} />
      ) : (
        <p className="inset none-shown">{outcome._tag === "REFUTED" ? "No value" : "No answer"}</p>
      )}
    </section>
    <section className="sheet" aria-label="Verdict">
      <header>
        <h2>{outcome._tag === "FAILED" ? "Error" : "Verdict"}</h2>
        {outcome._tag === "FAILED" ? null : <VerdictChip word={outcome._tag} />}
      </header>
      <div className="inset stack below-header">
        <Reasons outcome={outcome} onTrust={onTrust} again={again} refused={refused} />
        {sent.length < 2 ? null : (
          <p className="small quiet">
            Read with {count(sent.length, "call")}: {methodsOf(sent)}.
          </p>
        )}
      </div>
      {at !== undefined && "call" in outcome && outcome.call !== undefined ? (
        <Suspense>
          <CallLine
            {...at}
            basis={outcome.call}
            anchor={outcome._tag === "VERIFIED" ? outcome.anchor : undefined}
            result={
              question.method === "eth_call" && typeof outcome.result === "string"
                ? count((outcome.result.length - 2) / 2, "byte")
                : question.method === "eth_call"
                  ? "no value"
                  : "answer"
            }
          />
        </Suspense>
      ) : null}
    </section>
  </div>
)

const methodsOf = (sent: ReadonlyArray<Proving.SentCall>): string =>
  [...Map.groupBy(sent, ({ method }) => method)]
    .map(([method, calls]) => (calls.length === 1 ? method : `${method} ${calls.length} times`))
    .join(", ")

/** Shows a JSON value; a long one is folded. */
const Folded = ({ value }: { readonly value: unknown }) => {
  const [isOpen, setOpen] = useState(false)
  const text = JSON.stringify(value, null, 2)
  const lines = text.slice(0, MOST).split("\n")
  const isLong = lines.length > FOLD + 4
  const shown = (isLong && !isOpen ? lines.slice(0, FOLD) : lines).map(shorten(isOpen))
  const isCut = text.length > MOST
  return (
    <>
      <Code label="The answer" text={shown.join("\n")} />
      {isLong || lines.some((line) => line.length > LINE) ? (
        <p className="inset">
          <button type="button" className="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? "Fold" : `Show all ${count(lines.length, "line")}`}
          </button>{" "}
          {isCut ? (
            <span className="small soft">The first {count(MOST, "character")}; Copy has all of them.</span>
          ) : null}
        </p>
      ) : null}
    </>
  )
}

/** Maximum number of characters of a folded line. */
const LINE = 108

const shorten =
  (isOpen: boolean) =>
  (line: string): string =>
    isOpen || line.length <= LINE
      ? line
      : `${line.slice(0, 56)}… ${count(line.length - 68, "character")} more …${line.slice(-12)}`

const Reasons = ({
  again,
  onTrust,
  outcome,
  refused
}: {
  readonly outcome: Proving.ProvingOutcome
  readonly onTrust: ((hash: string) => void) | undefined
  readonly again: () => void
  readonly refused: ReactNode
}) => {
  switch (outcome._tag) {
    case "VERIFIED":
      return (
        <>
          <p>
            It follows from the {nameOf(outcome.anchor)}: <Hash hex={outcome.anchor.hash} />
          </p>
          <List title="Proven" items={outcome.proven} />
          {outcome.claimed.length === 0 ? null : (
            <List
              title="Only the node says"
              items={outcome.claimed.map(({ field, reason }) => `${field}: ${reason}`)}
            />
          )}
        </>
      )
    case "CLAIMED":
      return (
        <>
          <p>The node says so. Nothing that you trust proves it.</p>
          <List
            title="Why"
            items={outcome.claimed.map(({ field, reason }) => (field === "value" ? reason : `${field}: ${reason}`))}
          />
          {outcome.proven.length === 0 ? null : <List title="Proven in itself" items={outcome.proven} />}
          {onTrust === undefined ? null : <NextStep outcome={outcome} onTrust={onTrust} />}
        </>
      )
    case "REFUTED":
      return (
        <>
          <p>The answer contradicts what it must hang from. The check that failed:</p>
          <dl className="checked terms t-13">
            <dt>check</dt>
            <dd className="mono">{outcome.check}</dd>
            <dt>expected</dt>
            <dd className="whole">{outcome.expected}</dd>
            <dt>got</dt>
            <dd className="whole wrong">{outcome.got}</dd>
          </dl>
          <p>
            <button type="button" className="button" onClick={again}>
              Ask again
            </button>
          </p>
        </>
      )
    case "FAILED": {
      const { code, kind, message, retryAfter, status } = outcome.failure
      return (
        <>
          <dl className="checked terms t-13">
            <dt>kind</dt>
            <dd className="mono">{kind}</dd>
            {code === undefined ? null : (
              <>
                <dt>code</dt>
                <dd className="mono">{code}</dd>
              </>
            )}
            {status === undefined ? null : (
              <>
                <dt>HTTP status</dt>
                <dd className="mono">{status}</dd>
              </>
            )}
            <dt>message</dt>
            <dd>{message}</dd>
          </dl>
          <p className="soft">
            {SIDES[kind] ?? ""} Nothing is claimed or refuted.
            {retryAfter === undefined ? null : (
              <>
                {" "}
                It answers again <RetryAfterNote seconds={retryAfter} />.
              </>
            )}
          </p>
          <p>
            <button type="button" className="button" onClick={again}>
              Ask again
            </button>
          </p>
          {status === 401 || status === 403 ? (refused ?? <Unaccepted said={message} again={again} />) : null}
        </>
      )
    }
  }
}

/** Returns the name of an anchor. A root that the owner of the contracts set is never shown as one that a game settled. */
const nameOf = (anchor: Anchor.Anchor): string =>
  anchor._tag === "Rollup" ? STATES[anchor.state] : ANCHORS[anchor._tag]

const STATES: Readonly<Record<Anchor.RollupAnchor["state"], string>> = {
  settled: "block that L1 settles",
  starting: "block that the owner of the rollup's contracts set"
}

const ANCHORS: Readonly<Record<Exclude<Anchor.Anchor, Anchor.RollupAnchor>["_tag"], string>> = {
  Block: "hash that you trust",
  LightClient: "hash that you trust",
  Transaction: "hash that you asked for",
  Cid: "CID"
}

/** A sentence about the cause of a failure, by the kind of the error. */
const SIDES: Readonly<Record<string, string>> = {
  TransportError: "No JSON-RPC answer arrived.",
  RemoteError: "The service or its node answered with an error.",
  ProtocolError: "The response is not a JSON-RPC answer to this call.",
  DecodeError: "The result is not what the method promises.",
  EncodeError: "A parameter is not what the method takes.",
  OptionsError: "An option of the client is impossible.",
  InvalidParams: "A parameter is not what the method takes.",
  TimeoutError: "No answer arrived in time.",
  MovedError: "The chain changed while it was read."
}

/** Offers a hash from the answer. A reader who knows this hash can trust it, and ask again. */
const NextStep = ({
  onTrust,
  outcome
}: {
  readonly outcome: Extract<Proving.ProvingOutcome, { readonly _tag: "CLAIMED" }>
  readonly onTrust: (hash: string) => void
}) => {
  const { result } = outcome
  const hash =
    typeof result === "object" && result !== null && "hash" in result && "parentHash" in result
      ? String(result.hash)
      : undefined
  return (
    <p className="small soft">
      {hash === undefined ? (
        "Enter the hash of a block that you trust above, if the answer is about a block."
      ) : (
        <>
          If you know the hash of this block,{" "}
          <button type="button" className="plain" onClick={() => onTrust(hash)}>
            trust it
          </button>
          , and ask again.
        </>
      )}
    </p>
  )
}

/** Maximum number of sentences that a list shows. */
const SENTENCES = 6

const List = ({ items, title }: { readonly title: string; readonly items: ReadonlyArray<string> }) => (
  <div>
    <h3>{title}</h3>
    <ul className="reasons">
      {items.slice(0, SENTENCES).map((item) => (
        <li key={item}>{item}</li>
      ))}
      {items.length > SENTENCES ? <li className="quiet">{count(items.length - SENTENCES, "more sentence")}</li> : null}
    </ul>
  </div>
)
