/** The pending transactions of a second chain. The list is updated live, and this browser hashes each transaction. */
import "./pending.css"
import * as Cause from "effect/Cause"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import * as Redacted from "effect/Redacted"
import { useDeferredValue, useEffect, useMemo, useRef, useState } from "react"

import { NeedsKeyError, noNetwork, type NoNetworkError } from "../chain/ChainError.ts"
import type { Network } from "../chain/ConsoleNetworks.ts"
import * as PageSession from "../chain/PageSession.ts"
import { StatePanel } from "../look/StatePanel.tsx"
import { count, grouped } from "../look/TextFormats.ts"
import { registry, setAtom, useAtom } from "../look/useAtom.ts"
import type { VerdictName } from "../look/VerdictMark.tsx"
import { KeyForm } from "../parts/KeyForm.tsx"
import { LeadVerdict } from "../parts/LeadVerdict.tsx"
import { ReadState } from "../parts/ReadState.tsx"
import { RetryAfterNote } from "../parts/RetryAfterNote.tsx"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import * as Router from "../route/Router.ts"
import { PendingDetail } from "./PendingDetail.tsx"
import { PendingRows } from "./PendingRows.tsx"
import { summaryOf } from "./pendingSummary.ts"
import * as Samples from "./Samples.ts"
import * as Watch from "./Watch.ts"

const Pending = ({ place }: { readonly place: ConsoleRoute.PendingRoute }) => {
  const start = useAtom(PageSession.start)
  const key = useAtom(PageSession.key)
  return (
    <ReadState result={start} what="the networks of this service" again={() => registry.refresh(PageSession.start)}>
      {({ networks, secondChains }) => {
        const [first] = secondChains
        const network = place.chain === undefined ? first : secondChains.find(({ name }) => name === place.chain)
        if (first === undefined) return <NoChain />
        if (network === undefined) {
          return failed(noNetwork(place.chain ?? "", "pending transactions", secondChains, networks))
        }
        if (!network.open && key === undefined) return failed(new NeedsKeyError({ network: network.name }))
        return (
          <Live key={`${network.name} ${key === undefined}`} network={network} place={place} chains={secondChains} />
        )
      }}
    </ReadState>
  )
}

/** Shows an error as all other screens do. */
const failed = (error: NeedsKeyError | NoNetworkError) => (
  <ReadState
    result={AsyncResult.failure<never, NeedsKeyError | NoNetworkError>(Cause.fail(error))}
    what="the pending transactions"
    again={() => Router.go({ _tag: "Pending" })}
  >
    {() => null}
  </ReadState>
)

const NoChain = () => (
  <StatePanel
    kind="No second chain"
    title="This service has no network with the methods of Starknet"
    text="Such a network lists transactions that wait for a block, and this page hashes each of them."
  >
    <pre className="pending-snippet">{`networks:\n  pool: { upstreams: [{ embedded: starknet-pool }] }`}</pre>
    <a className="button primary" href="/console/">
      Go to the explorer
    </a>
  </StatePanel>
)

interface Listed {
  readonly rows: ReadonlyArray<Watch.PendingRow>
  readonly total: number
  readonly at: number
}

/** The reason why there is no new list, and the seconds after which the worker thread asks again. */
interface Problem {
  readonly message: string
  readonly again: number | undefined
  readonly at: number
}

/** Follows a node. The state is the last one that the worker thread sent. */
const useWatch = (order: Watch.WatchOrder, tx: string | undefined) => {
  const [listed, setListed] = useState<Listed | undefined>(undefined)
  const [problem, setProblem] = useState<Problem | undefined>(undefined)
  const [opened, setOpened] = useState<Watch.OpenedTransaction | undefined>(undefined)
  const [verdicts, setVerdicts] = useState<ReadonlyMap<string, Watch.PendingVerdict>>(new Map())
  const watch = useRef<Watch.Watch | undefined>(undefined)
  const { chainId, url } = order
  useEffect(() => {
    const told = (news: Watch.WorkerMessage): void => {
      switch (news._tag) {
        case "Listed":
          setProblem(undefined)
          setListed({ rows: news.rows, total: news.total, at: news.at })
          // the worker thread sends the verdicts of these rows next
          setVerdicts(new Map())
          return
        case "Same":
          setProblem(undefined)
          setListed((before) => (before === undefined ? before : { ...before, at: news.at }))
          return
        case "Judged":
          if (news.verdicts.length > 0) setVerdicts((before) => new Map([...before, ...news.verdicts]))
          return
        case "Opened":
          setOpened(news.opened)
          return
        case "Failed":
          setProblem({ message: news.message, again: news.again, at: Date.now() })
      }
    }
    const running = Watch.begin({ chainId, url }, told)
    watch.current = running
    return () => running.end()
  }, [chainId, url])
  const row = listed?.rows.find(({ hash }) => hash === tx)
  const judged = row === undefined ? undefined : verdicts.get(row.id)
  const word = judged?.word
  useEffect(() => {
    if (row !== undefined && word !== undefined) watch.current?.ask({ _tag: "Open", id: row.id })
  }, [row, word])
  return {
    listed,
    problem,
    verdicts,
    row,
    judged,
    opened: opened?.id === row?.id ? opened : undefined,
    pause: (isPaused: boolean) => watch.current?.ask({ _tag: "Pause", isPaused })
  }
}

const Live = ({
  chains,
  network,
  place
}: {
  readonly network: Network
  readonly chains: ReadonlyArray<Network>
  readonly place: ConsoleRoute.PendingRoute
}) => {
  const key = useAtom(PageSession.key)
  const service = useAtom(PageSession.service)
  const url =
    key === undefined
      ? new URL(`/console/api/read/${network.name}`, location.origin).href
      : new URL(`/${network.name}/v3/${Redacted.value(key)}`, service).href
  const chainId = Watch.chainIdOf(network.chainId)
  const { judged, listed, opened, pause, problem, row, verdicts } = useWatch({ url, chainId }, place.tx)
  const [kind, setKind] = useState<string | undefined>(undefined)
  const [isPaused, setPaused] = useState(false)
  const given = useDeferredValue(verdicts)
  const counts = useMemo(() => countsOf(listed?.rows ?? [], given), [listed, given])
  const rows = useMemo(
    () =>
      (listed?.rows ?? []).filter(
        ({ id, type }) => kind === undefined || (kind === REFUTED ? given.get(id)?.word === REFUTED : type === kind)
      ),
    [listed, kind, given]
  )
  const linkOf = (tx?: string): string => ConsoleRoute.link({ _tag: "Pending", chain: network.name, tx }).href
  const name = Watch.chainName(chainId)
  if (listed === undefined && problem !== undefined) {
    return (
      <StatePanel
        kind="Error"
        title={`There is no list of ${network.name}`}
        text={
          <>
            {problem.message} Nothing is claimed or refuted.{" "}
            {problem.again === undefined ? null : (
              <>
                The page asks again <RetryAfterNote key={problem.at} seconds={problem.again} />.
              </>
            )}
          </>
        }
      >
        {key === undefined ? null : (
          <button type="button" className="button primary" onClick={() => setAtom(PageSession.key, undefined)}>
            Enter another key
          </button>
        )}
        <a className="button" href="/console/">
          Go to the explorer
        </a>
      </StatePanel>
    )
  }
  const all = listed?.rows.length ?? 0
  return (
    <div className="page">
      <div className="lead">
        <div>
          <p className="value-name">
            {network.name} {name === undefined ? chainId : name}
          </p>
          <h1>
            {listed === undefined
              ? "Pending transactions"
              : listed.total === 0
                ? "No pending transactions"
                : count(listed.total, "pending transaction")}
          </h1>
          <p className="soft">
            {counts.left > 0
              ? `${grouped(counts.left)} of them are still to be hashed.`
              : summaryOf(all, name === Samples.CHAIN, counts)}
          </p>
        </div>
        {all === 0 ? null : <LeadVerdict word={counts.word}>{SAYS[counts.word]}</LeadVerdict>}
      </div>
      <div className={`pending${row === undefined ? "" : " opened"}`}>
        <section className="sheet">
          <div className="pending-bar">
            <div role="group" aria-label="Show" className="row wrap" style={{ gap: 6 }}>
              {all === 0 ? null : (
                <Choice name="All" amount={all} isOn={kind === undefined} onPick={() => setKind(undefined)} />
              )}
              {[...counts.types].map(([type, amount]) => (
                <Choice key={type} name={type} amount={amount} isOn={kind === type} onPick={() => setKind(type)} />
              ))}
              {counts.refuted === 0 && kind !== REFUTED ? null : (
                <Choice
                  name="Refuted"
                  amount={counts.refuted}
                  isOn={kind === REFUTED}
                  onPick={() => setKind(REFUTED)}
                />
              )}
            </div>
            <span className="live" aria-live={problem === undefined ? "off" : "polite"}>
              {problem === undefined
                ? isPaused
                  ? "Stopped by you"
                  : listed === undefined
                    ? "Reading the list …"
                    : `Read at ${clock(listed.at)}`
                : `No answer since ${clock(listed?.at ?? 0)}`}
            </span>
            {chains.length < 2 ? null : (
              <select
                className="field"
                style={{ width: "auto" }}
                aria-label="Second chain"
                value={network.name}
                onChange={({ target }) => Router.go({ _tag: "Pending", chain: target.value })}
              >
                {chains.map(({ name }) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            )}
            <button
              type="button"
              className="button"
              aria-pressed={isPaused}
              onClick={() => {
                pause(!isPaused)
                setPaused(!isPaused)
              }}
            >
              {isPaused ? "Go on" : "Stop"}
            </button>
          </div>
          {rows.length > 0 ? (
            <PendingRows
              rows={rows}
              verdicts={verdicts}
              open={place.tx}
              linkOf={({ hash }) => linkOf(hash)}
              onOpen={({ hash }) => Router.go({ _tag: "Pending", chain: network.name, tx: hash }, { replace: true })}
            />
          ) : (
            <div className="pending-empty">
              {listed === undefined ? (
                <p className="inset quiet">Reading the list …</p>
              ) : all > 0 ? (
                <p className="inset quiet">None of this kind is in the list now.</p>
              ) : (
                <Empty network={network.name} isPool={name === Samples.CHAIN} />
              )}
            </div>
          )}
          <p className="inset small quiet">
            The list is the node's word: it may lack transactions, or have old ones. Each hash is computed here
            {listed !== undefined && listed.total > all
              ? `. The node sent ${grouped(listed.total)}; the first ${grouped(all)} are shown.`
              : ", from the fields and the id of the chain."}
          </p>
        </section>
        {row === undefined ? (
          place.tx === undefined || listed === undefined ? null : (
            <p className="sheet inset" role="status">
              The transaction {place.tx.slice(0, 10)}… is not in the list: it is in a block by now, or was dropped.{" "}
              <a href={linkOf()}>Show the list alone</a>
            </p>
          )
        ) : (
          <PendingDetail row={row} judged={judged} opened={opened} closeHref={linkOf()} />
        )}
      </div>
    </div>
  )
}

const REFUTED = "REFUTED"

const SAYS: Readonly<Record<VerdictName, string>> = {
  VERIFIED: "Every transaction is the one that its hash names. Only the node says that they are pending.",
  CLAIMED: "The hash of at least one transaction is not made yet, or cannot be made.",
  REFUTED: "At least one transaction is not the one that its hash names."
}

const clock = (millis: number): string => new Date(millis).toTimeString().slice(0, 8)

interface Counts {
  readonly types: ReadonlyMap<string, number>
  readonly refuted: number
  readonly verified: number
  readonly left: number
  readonly word: VerdictName
}

const countsOf = (
  rows: ReadonlyArray<Watch.PendingRow>,
  verdicts: ReadonlyMap<string, Watch.PendingVerdict>
): Counts => {
  const types = new Map<string, number>()
  let refuted = 0
  let verified = 0
  let left = 0
  for (const { id, type } of rows) {
    if (types.has(type) || types.size < MAX_TYPES) types.set(type, (types.get(type) ?? 0) + 1)
    const word = verdicts.get(id)?.word
    if (word === undefined) left++
    else if (word === "REFUTED") refuted++
    else if (word === "VERIFIED") verified++
  }
  const word = refuted > 0 ? "REFUTED" : verified === rows.length ? "VERIFIED" : "CLAIMED"
  return { types, refuted, verified, left, word }
}

/** Maximum number of transaction types with a filter. A node may invent any number of types. */
const MAX_TYPES = 8

const Choice = ({
  amount,
  isOn,
  name,
  onPick
}: {
  readonly name: string
  readonly amount: number
  readonly isOn: boolean
  readonly onPick: () => void
}) => (
  <button type="button" className="choice" aria-pressed={isOn} onClick={onPick}>
    {name.slice(0, 24)} <span className="quiet">{grouped(amount)}</span>
  </button>
)

/** An empty list, and a way to fill it if the chain is the embedded pool. */
const Empty = ({ isPool, network }: { readonly network: string; readonly isPool: boolean }) => {
  const key = useAtom(PageSession.key)
  const [said, setSaid] = useState<string | undefined>(undefined)
  const send = (apiKey: string): void => {
    setSaid("Sending …")
    const url = new URL(`/${network}/v3/${apiKey}`, registry.get(PageSession.service)).href
    void Samples.send(url).then((taken) =>
      setSaid(
        typeof taken === "string"
          ? taken
          : taken === 0
            ? "The pool already has these samples. It forgets them when the service restarts."
            : `The pool took ${count(taken, "transaction")}.`
      )
    )
  }
  return (
    <div className="state" style={{ border: 0, padding: "0 16px" }}>
      <h2>Nothing is pending</h2>
      {isPool ? (
        <>
          <p className="soft">
            The embedded pool holds what is sent to it until a block is made. Send it {Samples.transactions.length}{" "}
            signed samples. That is a write, so it takes an API key: <code>plumbline up</code> shows one.
          </p>
          {key === undefined ? (
            <KeyForm submit="Send the samples" onKey={send} />
          ) : (
            <p className="row">
              <button type="button" className="button primary" onClick={() => send(Redacted.value(key))}>
                Send the samples
              </button>
            </p>
          )}
          {said === undefined ? null : (
            <p className="small soft mt-2" role="status">
              {said}
            </p>
          )}
        </>
      ) : (
        <p className="soft">
          The node shows no transaction that waits for a block. Some nodes do not track pending blocks, so an empty list
          does not prove that nothing was sent. The page asks again every two seconds.
        </p>
      )}
    </div>
  )
}

export default Pending
