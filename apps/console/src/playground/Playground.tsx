/** The playground: any method of a network as a form, then the request, the answer and its verdict, in one column. */
import "./playground.css"
import * as Option from "effect/Option"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { useState } from "react"

import * as Session from "../chain/Session.ts"
import { StatePanel } from "../look/StatePanel.tsx"
import { useAtom } from "../look/useAtom.ts"
import * as Place from "../route/Place.ts"
import { Ask } from "./Ask.tsx"
import * as Methods from "./Methods.ts"
import * as Recent from "./Recent.ts"

type PlaygroundPlace = Extract<Place.Place, { readonly _tag: "Playground" }>

const Playground = ({ place }: { readonly place: PlaygroundPlace }) => {
  const start = Option.getOrUndefined(AsyncResult.value(useAtom(Session.start)))
  const others = start?.secondChains ?? []
  const networks = start?.networks ?? []
  const found = [...networks, ...others].find(({ name }) => name === place.network)
  const kind: Methods.Kind = others.some(({ name }) => name === place.network) ? "starknet" : "eth"
  const methods = Methods.of(kind)
  const method = methods.find(({ name }) => name === place.method)
  return (
    <div className="page playground">
      {place.method === undefined ? (
        <All
          key={place.network}
          network={place.network}
          hasIpfs={start?.ipfs === true}
          methods={methods}
          networks={[...networks, ...others].map(({ name }) => name)}
        />
      ) : method === undefined ? (
        // the list of networks says which methods there are, so it comes first
        start === undefined ? (
          <p className="quiet" role="status" />
        ) : (
          <StatePanel
            kind="No such method"
            title={`${place.network} has no method ${place.method}`}
            text="The service has no such method on this network. Choose one from the list."
          >
            <a className="button primary" href={Place.link({ _tag: "Playground", network: place.network }).href}>
              All methods
            </a>
          </StatePanel>
        )
      ) : (
        <Ask
          key={`${kind} ${place.network} ${method.name} ${place.params ?? ""}`}
          place={place}
          kind={kind}
          chainId={found?.chainId ?? ""}
          method={method}
        />
      )}
    </div>
  )
}

/** The methods with their search, and the questions that were asked. */
const All = ({
  hasIpfs,
  methods,
  network,
  networks
}: {
  /** True if the service has the commands of IPFS beside the methods. */
  readonly hasIpfs: boolean
  readonly network: string
  readonly methods: ReadonlyArray<Methods.Described>
  readonly networks: ReadonlyArray<string>
}) => {
  const [text, setText] = useState("")
  const found = Methods.search(methods, text)
  const recent = useAtom(Recent.recent).filter((one) => one.network === network)
  return (
    <>
      <div className="lead">
        <div>
          <p className="value-name">{network}</p>
          <h1>Ask the network, and see what is proven</h1>
        </div>
        {networks.length < 2 && !hasIpfs ? null : (
          <nav className="networks" aria-label="Networks with methods">
            {networks.map((name) => (
              <a
                key={name}
                href={Place.link({ _tag: "Playground", network: name }).href}
                aria-current={name === network ? "true" : undefined}
              >
                {name}
              </a>
            ))}
            {hasIpfs ? <a href={Place.link({ _tag: "Commands" }).href}>IPFS</a> : null}
          </nav>
        )}
      </div>
      <input
        className="field find"
        type="search"
        aria-label="Find a method"
        placeholder={`Find one of ${methods.length} methods: balance, logs, proof`}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {recent.length === 0 ? null : (
        <p className="row wrap recent">
          <span className="small soft">Asked before</span>
          {recent.map(({ method, params }) => (
            <a
              key={`${method} ${params}`}
              className="button"
              title={params}
              href={Place.link({ _tag: "Playground", network, method, params }).href}
            >
              <span className="mono">{method}</span>
            </a>
          ))}
        </p>
      )}
      {found.length === 0 ? (
        <StatePanel kind="Nothing found" title={`No method fits “${text}”`} text="Search by name or by what it reads.">
          <button type="button" className="button primary" onClick={() => setText("")}>
            Show all methods
          </button>
        </StatePanel>
      ) : (
        [...Map.groupBy(found, ({ topic }) => topic)].map(([topic, some]) => (
          <section key={topic} className="sheet">
            <header>
              <h2>{topic}</h2>
            </header>
            <ul className="methods">
              {some.map(({ cost, doc, name, reads, verification }) => (
                <li key={name}>
                  <a href={Place.link({ _tag: "Playground", network, method: name }).href} className="mono">
                    {name}
                  </a>
                  <span className="soft">{doc}</span>
                  <span className="small quiet">
                    {reads ? PROOFS[verification] : "sends"}, {cost} credits
                  </span>
                </li>
              ))}
            </ul>
          </section>
        ))
      )}
    </>
  )
}

/** The part of an answer that a proof covers. */
const PROOFS: Readonly<Record<Methods.Described["verification"], string>> = {
  proven: "can be proven",
  partial: "partly proven",
  claimed: "no proof"
}

export default Playground
