/**
 * The playground. It shows any method of a network as a form, then the request, the answer and its verdict, in one
 * column.
 */
import "./playground.css"
import * as Option from "effect/Option"
import * as AsyncResult from "effect/reactivity/AsyncResult"

import * as PageSession from "../chain/PageSession.ts"
import { StatePanel } from "../look/StatePanel.tsx"
import { useAtom } from "../look/useAtom.ts"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import * as MethodForms from "./MethodForms.ts"
import { MethodPanel } from "./MethodPanel.tsx"
import * as RecentQuestions from "./RecentQuestions.ts"
import { SearchList } from "./SearchList.tsx"

type PlaygroundRoute = Extract<ConsoleRoute.ConsoleRoute, { readonly _tag: "Playground" }>

const Playground = ({ place }: { readonly place: PlaygroundRoute }) => {
  const start = Option.getOrUndefined(AsyncResult.value(useAtom(PageSession.start)))
  const others = start?.secondChains ?? []
  const networks = start?.networks ?? []
  const found = [...networks, ...others].find(({ name }) => name === place.network)
  const kind: MethodForms.MethodSet = others.some(({ name }) => name === place.network) ? "starknet" : "eth"
  const methods = MethodForms.of(kind)
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
        // the methods depend on the network, so the list of networks must be loaded first
        start === undefined ? (
          <p className="quiet" role="status" />
        ) : (
          <StatePanel
            kind="No such method"
            title={`${place.network} has no method ${place.method}`}
            text="The service has no such method on this network. Choose one from the list."
          >
            <a className="button primary" href={ConsoleRoute.link({ _tag: "Playground", network: place.network }).href}>
              All methods
            </a>
          </StatePanel>
        )
      ) : (
        <MethodPanel
          key={`${kind} ${place.network} ${method.name} ${place.params ?? ""} ${place.trust ?? ""}`}
          place={place}
          kind={kind}
          chainId={found?.chainId ?? ""}
          method={method}
        />
      )}
    </div>
  )
}

/** The methods, a search for them, and the recent questions. */
const All = ({
  hasIpfs,
  methods,
  network,
  networks
}: {
  /** True if the service has the commands of IPFS too. */
  readonly hasIpfs: boolean
  readonly network: string
  readonly methods: ReadonlyArray<MethodForms.DescribedMethod>
  readonly networks: ReadonlyArray<string>
}) => {
  const recent = useAtom(RecentQuestions.recent).filter((one) => one.network === network)
  return (
    <>
      <div className="lead">
        <div>
          <p className="value-name">{network}</p>
          <h1>Ask the network, and see what is proven</h1>
        </div>
        {networks.length < 2 && !hasIpfs ? null : (
          <nav className="pills" aria-label="Networks with methods">
            {networks.map((name) => (
              <a
                key={name}
                href={ConsoleRoute.link({ _tag: "Playground", network: name }).href}
                aria-current={name === network ? "true" : undefined}
              >
                {name}
              </a>
            ))}
            {hasIpfs ? <a href={ConsoleRoute.link({ _tag: "Commands" }).href}>IPFS</a> : null}
          </nav>
        )}
      </div>
      <SearchList
        noun="method"
        placeholder={`Find one of ${methods.length} methods: balance, logs, proof`}
        searchesBy="by name or by what it reads"
        search={(text) => MethodForms.search(methods, text)}
        hrefOf={({ name }) => ConsoleRoute.link({ _tag: "Playground", network, method: name }).href}
        remark={({ cost, reads, verification }) => `${reads ? PROOFS[verification] : "sends"}, ${cost} credits`}
      >
        {recent.length === 0 ? null : (
          <p className="row wrap recent">
            <span className="small soft">Asked before</span>
            {recent.map(({ method, params }) => (
              <a
                key={`${method} ${params}`}
                className="button"
                title={params}
                href={ConsoleRoute.link({ _tag: "Playground", network, method, params }).href}
              >
                <span className="mono">{method}</span>
              </a>
            ))}
          </p>
        )}
      </SearchList>
    </>
  )
}

/** The part of an answer that a proof covers. */
const PROOFS: Readonly<Record<MethodForms.DescribedMethod["verification"], string>> = {
  proven: "can be proven",
  partial: "partly proven",
  claimed: "no proof"
}

export default Playground
