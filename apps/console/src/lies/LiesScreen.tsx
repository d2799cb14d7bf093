/**
 * The screen "See a lie": the catalogue of lies at the left, and at the right the check that catches the chosen lie.
 */
import "../microscope/microscope.css"
import "./lies.css"
import * as Catalogue from "@plumbline/tamper/catalogue/Catalogue"
import type { Lie } from "@plumbline/tamper/lie/Lie"
import * as Effect from "effect/Effect"
import * as Atom from "effect/reactivity/Atom"
import type { KeyboardEvent } from "react"

import * as SignInState from "../admin/SignInState.ts"
import { read } from "../chain/ReadAtoms.ts"
import { registry, useAtom } from "../look/useAtom.ts"
import type { VerdictName } from "../look/VerdictMark.tsx"
import { subjectsOf } from "../parts/ExampleButton.tsx"
import { LeadVerdict } from "../parts/LeadVerdict.tsx"
import { ReadState } from "../parts/ReadState.tsx"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import { NODES_THAT_LIED } from "../route/panels.ts"
import * as Router from "../route/Router.ts"
import * as Believers from "./Believers.ts"
import { lieScenarios, type LieTopic } from "./LieScenarios.ts"
import * as TellLie from "./TellLie.ts"
import { ToldLie } from "./ToldLie.tsx"

type LiesRoute = Extract<ConsoleRoute.ConsoleRoute, { readonly _tag: "Lies" }>

/** The outcome of a lie on a network. The id is the network's name, a space, and the lie's name. */
const told = Atom.family((id: string) => {
  const [network = "", name = ""] = id.split(" ")
  return read({ network }, (get) =>
    Effect.gen(function* () {
      const lie = Catalogue.byName(name)!
      const scene = lieScenarios[name]?.scene(yield* get.result(subjectsOf(network)))
      return scene === undefined ? undefined : { scene, told: yield* TellLie.tell(lie, scene) }
    })
  )
})

// read from the documentation when the console is built, because the file belongs to no package and cannot be imported
const [clients = ""] = Object.values(
  import.meta.glob<string>("../../../../lab/reports/tamper-clients.md", {
    query: "?raw",
    import: "default",
    eager: true
  })
)

const fates = Believers.read(clients)

/** The topics in the order of the list. Topics that a proof covers come first. */
const ORDER: ReadonlyArray<LieTopic> = [
  "Accounts and storage",
  "Blocks",
  "Transactions",
  "Receipts and logs",
  "Advice",
  "The line"
]
const topics = ORDER.map(
  (topic) => [topic, Catalogue.lies.filter(({ name }) => lieScenarios[name]?.topic === topic)] as const
)

const Lies = ({ place }: { readonly place: LiesRoute }) => {
  const { network } = place
  const lie = Catalogue.byName(place.lie ?? Catalogue.lies[0]!.name)
  return (
    <div className="page lies">
      <header className="lies-title">
        <p className="strong">See a lie</p>
        <p className="soft">
          A demonstration: the ways in which a node can lie, and the check that catches each. The service answers
          truthfully: the page tells the lie to itself.
        </p>
        <OwnNodes />
      </header>
      <List network={network} chosen={lie?.name} />
      {lie === undefined ? (
        <section className="sheet state inset">
          <h1>There is no such lie</h1>
          <p className="soft">The catalogue has no lie “{place.lie}”. Choose one from the list.</p>
        </section>
      ) : (
        <One key={`${network} ${lie.name}`} network={network} lie={lie} />
      )}
    </div>
  )
}

/** Says where the lies of the service's own nodes are. The key of a project does not open that page. */
const OwnNodes = () => {
  const signed = useAtom(SignInState.signInState)
  const isProjects = signed._tag === "In" && signed.session.kind === "project"
  return (
    <p className="soft">
      The lies that nodes of this service told are in{" "}
      {isProjects ? (
        "the operator's overview"
      ) : (
        <>
          the overview, under{" "}
          <a href={`${ConsoleRoute.link({ _tag: "Overview" }).href}#${NODES_THAT_LIED}`}>Nodes that lied</a>
        </>
      )}
      .
    </p>
  )
}

/** The list of lies. On a narrow screen, it is a select field. */
const List = ({ chosen, network }: { readonly network: string; readonly chosen: string | undefined }) => (
  <nav className="lie-list" aria-label="Lies">
    <select
      className="field"
      aria-label="Lie"
      value={chosen ?? ""}
      onChange={({ target }) => Router.go({ _tag: "Lies", network, lie: target.value })}
    >
      {topics.map(([topic, lies]) => (
        <optgroup key={topic} label={topic}>
          {lies.map(({ about, name }) => (
            <option key={name} value={name}>
              {name}: {about}
            </option>
          ))}
        </optgroup>
      ))}
    </select>
    <div className="sheet">
      {topics.map(([topic, lies]) => (
        <section key={topic}>
          <h2>{topic}</h2>
          <ul>
            {lies.map(({ expected, name }) => (
              <li key={name}>
                <a
                  href={ConsoleRoute.link({ _tag: "Lies", network, lie: name }).href}
                  onKeyDown={step}
                  aria-current={name === chosen ? "true" : undefined}
                >
                  <span className="mono">{name}</span>
                  <span className={`end-of-lie ${expected.toLowerCase()}`}>{ENDS[expected]}</span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  </nav>
)

/** The words after a lie in the list if no proof refutes it. */
const ENDS: Readonly<Record<Lie["expected"], string>> = {
  REFUTED: "",
  CLAIMED: "no proof",
  FAILED: "no answer",
  WHOLE: "incomplete",
  REPAIRED: "repaired"
}

/** Arrow keys move through the list. */
const step = (event: KeyboardEvent<HTMLAnchorElement>): void => {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return
  const links = [...(event.currentTarget.closest(".sheet")?.querySelectorAll("a") ?? [])]
  const at = links.indexOf(event.currentTarget)
  const next = links[at + (event.key === "ArrowDown" ? 1 : -1)]
  if (at < 0 || next === undefined) return
  event.preventDefault()
  next.focus()
}

const One = ({ lie, network }: { readonly network: string; readonly lie: Lie }) => {
  const atom = told(`${network} ${lie.name}`)
  const result = useAtom(atom)
  return (
    <ReadState result={result} what={`the lie ${lie.name}`} again={() => registry.refresh(atom)}>
      {(found) => (
        <div className={`lie ${wordOf(found?.told.outcome._tag).toLowerCase()}`}>
          <div className="lead">
            <div>
              <p className="value-name">{lie.name}</p>
              <h1>{sentence(lie.about)}</h1>
            </div>
            {found === undefined ? null : (
              <LeadVerdict word={found.told.outcome._tag === "FAILED" ? undefined : wordOf(found.told.outcome._tag)}>
                {SAYS[found.told.outcome._tag]}
              </LeadVerdict>
            )}
          </div>
          {found === undefined ? (
            <section className="sheet state inset">
              <h1>{network} has nothing to lie about here</h1>
              <p className="soft">
                None of its newest blocks holds data that this lie could change. Choose another lie, or another network.
              </p>
            </section>
          ) : (
            <ToldLie lie={lie} scene={found.scene} told={found.told} fates={fates.get(lie.name) ?? []} />
          )}
        </div>
      )}
    </ReadState>
  )
}

const wordOf = (tag: string | undefined): VerdictName => (tag === "VERIFIED" || tag === "REFUTED" ? tag : "CLAIMED")

const SAYS = {
  REFUTED: "The answer contradicts a hash that the page trusts, so it is refused, and no value is shown.",
  CLAIMED:
    "Nothing proves such an answer, true or not. The page marks it as the node's word, and a careful program does not rely on it.",
  FAILED: "There is no answer to judge. The page says so in time, and claims nothing.",
  VERIFIED: "The lie did not change this answer: other data of the node proves it."
} as const

const sentence = (about: string): string => `${about.charAt(0).toUpperCase()}${about.slice(1)}`

export default Lies
