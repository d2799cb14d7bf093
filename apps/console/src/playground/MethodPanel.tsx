/** Shows one method: its form, its request as JSON and as programs, and the answer. */
import * as Atom from "effect/reactivity/Atom"
import { useMemo, useState } from "react"

import * as AcceptedTrust from "../chain/AcceptedTrust.ts"
import * as PageSession from "../chain/PageSession.ts"
import * as Proving from "../chain/Proving.ts"
import { ask, read } from "../chain/ReadAtoms.ts"
import { Copied } from "../look/Hash.tsx"
import { useAtom } from "../look/useAtom.ts"
import { ExampleButton } from "../parts/ExampleButton.tsx"
import { ReadState } from "../parts/ReadState.tsx"
import { TransportNote } from "../parts/TransportNote.tsx"
import { YOUR_KEY } from "../programs/ProgramParts.ts"
import { RequestForms } from "../programs/RequestForms.tsx"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import * as FormRequest from "./FormRequest.ts"
import { MethodAnswer } from "./MethodAnswer.tsx"
import type { DescribedMethod, MethodSet } from "./MethodForms.ts"
import * as MethodPrograms from "./MethodPrograms.ts"
import * as ParameterExamples from "./ParameterExamples.ts"
import { ParameterFields } from "./ParameterFields.tsx"
import * as RecentQuestions from "./RecentQuestions.ts"
import type * as SchemaForms from "./SchemaForms.ts"
import * as SecondChain from "./SecondChain.ts"

type PlaygroundRoute = Extract<ConsoleRoute.ConsoleRoute, { readonly _tag: "Playground" }>

/**
 * An answer. Its id consists of the number of the question, the kind and id of the chain, and a place's link, so asking
 * a question again makes a new answer.
 */
const answers = Atom.family((id: string) => {
  const [, kind, chainId = "", href = ""] = id.split(" ")
  const { pathname, search } = new URL(href, "http://here.invalid")
  const { method = "", network, params = "[]", trust } = ConsoleRoute.parse(pathname, search) as PlaygroundRoute
  const question: Proving.RpcQuestion = { method, params: JSON.parse(params) as ReadonlyArray<unknown> }
  return kind === "starknet"
    ? ask(network, SecondChain.ask(question, chainId))
    : read({ network, trust }, Proving.ask(question))
})

/** Counts the questions of this page. */
let turns = 0

/** The screen of a method. */
export const MethodPanel = ({
  chainId,
  kind,
  method,
  place
}: {
  readonly place: PlaygroundRoute
  readonly kind: MethodSet
  readonly chainId: number | string
  readonly method: DescribedMethod
}) => {
  const { network } = place
  const [texts, setTexts] = useState<SchemaForms.FieldTexts>(() => FormRequest.write(method, place.params))
  const [trust, setTrust] = useState(place.trust ?? "")
  const [asked, setAsked] = useState<string | undefined>(undefined)
  const [isTried, setTried] = useState(false)
  const { mistakes, params } = useMemo(() => FormRequest.read(method, texts), [method, texts])
  const trusted = ConsoleRoute.isHash(trust.trim().replace(/^checkpoint:/u, ""))
    ? trust.trim().toLowerCase()
    : undefined
  const isTrustWrong = trust.trim() !== "" && trusted === undefined
  const isReady = Object.keys(mistakes).length === 0 && !isTrustWrong
  const here: PlaygroundRoute = { ...place, params: JSON.stringify(params), trust: trusted }
  const question = { method: method.name, params }

  const submit = (): void => {
    setTried(true)
    if (!isReady) return
    if (trusted !== undefined && trusted !== place.trust) AcceptedTrust.choose(network, trusted)
    const { href } = ConsoleRoute.link(here)
    // writes the question to the address, without rendering this screen again
    history.replaceState(null, "", href)
    RecentQuestions.remember({ network, method: method.name, params: JSON.stringify(params) })
    setAsked(`${++turns} ${kind} ${chainId} ${href}`)
  }

  return (
    <>
      <p className="small">
        <a href={ConsoleRoute.link({ _tag: "Playground", network }).href}>All methods of {network}</a>
      </p>
      <div className="lead">
        <div>
          <h1 className="mono method-name">{method.name}</h1>
          <p className="soft">{method.doc}</p>
        </div>
        <span className="small quiet">{method.cost} credits a call</span>
      </div>
      <form
        className="sheet"
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <header>
          <h2>
            Parameters{" "}
            <span>
              {method.params.length === 0
                ? "none"
                : method.params.every(({ required }) => !required)
                  ? "all optional"
                  : null}
            </span>
          </h2>
          {kind === "eth" && method.params.length > 0 ? (
            <ExampleButton
              network={network}
              onExample={(subjects) =>
                setTexts(FormRequest.write(method, JSON.stringify(ParameterExamples.of(method, subjects))))
              }
            />
          ) : null}
        </header>
        <div className="inset form below-header">
          {method.params.map((param) => (
            <ParameterFields
              key={param.name}
              param={param}
              texts={texts}
              mistake={isTried || (texts[param.name] ?? "") !== "" ? mistakes[param.name] : undefined}
              onText={(path, text) => setTexts((before) => ({ ...before, [path]: text }))}
            />
          ))}
          {kind === "eth" ? (
            <div className="form-row">
              <label htmlFor="trusted">
                trusted hash <small>for the proof; not sent</small>
              </label>
              <div>
                <input
                  id="trusted"
                  className="field mono"
                  placeholder="0x… of a block that you know to be on this chain"
                  autoComplete="off"
                  spellCheck={false}
                  value={trust}
                  aria-invalid={isTrustWrong}
                  onChange={({ target }) => setTrust(target.value)}
                />
                {isTrustWrong ? <p className="small fault">A block hash has 64 hexadecimal digits after 0x.</p> : null}
              </div>
            </div>
          ) : null}
          <p className="row wrap">
            <button type="submit" className="button primary">
              Ask
            </button>
            <Copied text={new URL(ConsoleRoute.link(here).href, location.origin).href} label="Copy link" />
            <TransportNote network={network} />
          </p>
        </div>
      </form>
      <RequestSheet kind={kind} question={question} network={network} trust={trusted} />
      {asked === undefined ? null : (
        <Answered id={asked} method={method} at={{ network, trust: trusted }} onTrust={setTrust} again={submit} />
      )}
    </>
  )
}

const Answered = ({
  again,
  at,
  id,
  method,
  onTrust
}: {
  readonly id: string
  readonly method: DescribedMethod
  readonly at: { readonly network: string; readonly trust: string | undefined }
  readonly onTrust: (hash: string) => void
  readonly again: () => void
}) => {
  const result = useAtom(answers(id))
  return (
    <ReadState result={result} what={method.name} again={again}>
      {(answered) => <MethodAnswer answered={answered} at={at} onTrust={onTrust} again={again} />}
    </ReadState>
  )
}

/** The request as it is sent, and as programs. */
const RequestSheet = ({
  kind,
  network,
  question,
  trust
}: {
  readonly kind: MethodSet
  readonly question: Proving.RpcQuestion
  readonly network: string
  readonly trust: string | undefined
}) => {
  const origin = useAtom(PageSession.service)
  return (
    <RequestForms
      wire={{ name: "JSON", text: JSON.stringify({ jsonrpc: "2.0", id: 1, ...question }, null, 2) }}
      programs={MethodPrograms.of(kind, question, { origin, network, trust })}
      note={
        <>
          Put your API key in place of <code>{YOUR_KEY}</code>. This page writes no key into programs or links.
        </>
      }
    />
  )
}
