/** The explorer's first page: the newest blocks of a network, and a proof to begin with. */
import * as Effect from "effect/Effect"
import * as Atom from "effect/reactivity/Atom"

import { NetworkClients } from "../chain/NetworkClients.ts"
import * as PageSession from "../chain/PageSession.ts"
import { read } from "../chain/ReadAtoms.ts"
import { Hash } from "../look/Hash.tsx"
import { count, grouped, time } from "../look/TextFormats.ts"
import { registry, useAtom } from "../look/useAtom.ts"
import { ReadState } from "../parts/ReadState.tsx"
import { TransportNote } from "../parts/TransportNote.tsx"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"

const SHOWN = 12n

/** The newest blocks, as claimed by the node. */
const newest = Atom.family((network: string) =>
  read(
    { network },
    Effect.gen(function* () {
      const { eth } = yield* NetworkClients
      const head = yield* eth.blockNumber
      const numbers = Array.from({ length: Number(head < SHOWN ? head + 1n : SHOWN) }, (_, i) => head - BigInt(i))
      const blocks = yield* Effect.forEach(numbers, (number) => eth.getBlockByNumber(number), {
        concurrency: "unbounded"
      })
      return blocks.filter((block) => block !== null)
    })
  )
)

const Home = ({ place }: { readonly place: ConsoleRoute.ConsoleRoute }) => {
  const start = useAtom(PageSession.start)
  return (
    <ReadState result={start} what="the networks of this service" again={() => registry.refresh(PageSession.start)}>
      {({ networks }) => {
        const name = ("network" in place ? place.network : undefined) ?? networks[0]?.name
        return name === undefined ? (
          <p className="page">
            This service has no network with Ethereum's methods. Configure one, and load this page again.
          </p>
        ) : (
          <Blocks network={name} />
        )
      }}
    </ReadState>
  )
}

const Blocks = ({ network }: { readonly network: string }) => {
  const blocks = newest(network)
  const result = useAtom(blocks)
  return (
    <ReadState result={result} what={`the newest blocks of ${network}`} again={() => registry.refresh(blocks)}>
      {(blocks) => (
        <div className="page">
          <div className="lead">
            <div>
              <h1>{network}</h1>
              <p className="soft">
                {blocks[0] === undefined ? "No blocks yet" : `The newest block is ${grouped(blocks[0].number ?? 0n)}.`}{" "}
                Open any value, and see why it is true.
              </p>
            </div>
            <a
              className="button primary"
              href={
                ConsoleRoute.link({
                  _tag: "Proof",
                  network,
                  block: blocks[0]?.hash ?? "latest",
                  subject: { _tag: "Header", field: "stateRoot" }
                }).href
              }
            >
              Open a proof
            </a>
          </div>
          <section className="sheet">
            <header>
              <h2>
                Newest blocks <span>as the node says; open one to check it</span>
              </h2>
              <button type="button" className="plain small" onClick={() => registry.refresh(newest(network))}>
                Read again
              </button>
            </header>
            <div className="scroll">
              <table>
                <thead>
                  <tr>
                    <th>Number</th>
                    <th>Hash</th>
                    <th>Time</th>
                    <th className="end">Transactions</th>
                    <th className="end">Gas used</th>
                    <th className="end">Uncles</th>
                  </tr>
                </thead>
                <tbody>
                  {blocks.map(({ gasUsed, hash, number, timestamp, transactions, uncles }) => (
                    <tr key={hash}>
                      <td>
                        <a href={ConsoleRoute.link({ _tag: "Block", network, block: String(number) }).href}>
                          {grouped(number ?? 0n)}
                        </a>
                      </td>
                      <td>
                        {hash === null ? null : (
                          <Hash hex={hash} link={ConsoleRoute.link({ _tag: "Block", network, block: hash })} />
                        )}
                      </td>
                      <td className="soft time">{time(timestamp)}</td>
                      <td className="end">{transactions.length}</td>
                      <td className="end">{grouped(gasUsed)}</td>
                      <td className="end">{uncles?.length ?? 0}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
            <div className="inset">
              <p className="small quiet">
                {count(blocks.length, "block")} shown. Search for any other with its number or hash.
              </p>
              <TransportNote network={network} />
            </div>
          </section>
        </div>
      )}
    </ReadState>
  )
}

export default Home
