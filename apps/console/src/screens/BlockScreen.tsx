/** Shows a block: its header next to its bytes, and the lists that the header proves. */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import type * as EthBlock from "@plumbline/eth-methods/model/Block"
import * as EthTransaction from "@plumbline/eth-methods/model/Transaction"
import * as BlockRlp from "@plumbline/eth-methods/rlp/BlockRlp"
import type * as Verdict from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"
import * as Atom from "effect/reactivity/Atom"

import { noBlock, numberOrTag } from "../chain/GatherEvidence.ts"
import { NetworkClients } from "../chain/NetworkClients.ts"
import { reaches } from "../chain/Reach.ts"
import { read } from "../chain/ReadAtoms.ts"
import { Hash } from "../look/Hash.tsx"
import { count, ether, grouped, time } from "../look/TextFormats.ts"
import { registry, useAtom } from "../look/useAtom.ts"
import { BlockVerdict } from "../parts/LeadVerdict.tsx"
import { ReadState } from "../parts/ReadState.tsx"
import type { ProofSubject } from "../proof/ProofSubject.ts"
import * as RlpFields from "../proof/RlpFields.ts"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import { BlockAccessList } from "./BlockAccessList.tsx"
import { Claims } from "./Claims.tsx"
import { FieldBytes } from "./FieldBytes.tsx"

type BlockRoute = Extract<ConsoleRoute.ConsoleRoute, { readonly _tag: "Block" }>

const found = Atom.family((id: string) => {
  const place = ConsoleRoute.parseHref(id) as BlockRoute
  return read(
    place,
    Effect.gen(function* () {
      const chain = yield* NetworkClients
      const verdicts = yield* chain.verdicts
      const options = { full: true, uncleHeaders: true } as const
      const verdict: Verdict.Verdict<EthBlock.WithTransactions | null> = Hash32.isHash32(place.block)
        ? yield* verdicts.getBlockByHash(Hash32.fromHexUnsafe(place.block.toLowerCase()), options)
        : yield* verdicts.getBlockByNumber(numberOrTag(place.block), options)
      const block = verdict.value
      if (block === null || block.hash === null || block.number === null) {
        return yield* noBlock(place.block)
      }
      const uncles: Array<EthBlock.Uncle> = []
      for (let i = 0; i < (block.uncles?.length ?? 0); i++) {
        const uncle = yield* chain.eth.getUncleByBlockHashAndIndex(block.hash, BigInt(i))
        if (uncle !== null) uncles.push(uncle)
      }
      const bytes = yield* Effect.fromResult(BlockRlp.encodeHeader(block))
      const named = { hash: block.hash, number: block.number }
      const isVerified = verdict._tag === "VERIFIED" && (yield* reaches(place.trust, named))
      // the newest block has no next one yet; without an answer, the link stays
      const head = yield* Effect.orElseSucceed(chain.eth.blockNumber, () => undefined)
      const hasNext = head === undefined || head > named.number
      return { verdict, isVerified, block: { ...block, ...named }, hasNext, uncles, bytes }
    })
  )
})

const Block = ({ place }: { readonly place: BlockRoute }) => {
  const atom = found(ConsoleRoute.link(place).href)
  const result = useAtom(atom)
  return (
    <ReadState result={result} what={`block ${place.block}`} again={() => registry.refresh(atom)}>
      {({ block, bytes, hasNext, isVerified, uncles, verdict }) => {
        const { network } = place
        const { hash, number } = block
        const trust = isVerified ? place.trust : undefined
        const proof = (subject: ProofSubject): string =>
          ConsoleRoute.link({ _tag: "Proof", network, block: hash, subject, trust }).href
        const at = (block: bigint): string => ConsoleRoute.link({ _tag: "Block", network, block: String(block) }).href
        const account = (address: string) =>
          ConsoleRoute.link({ _tag: "Account", network, address, block: hash, trust })
        return (
          <div className="page explorer">
            <div className="lead">
              <div>
                <h1>Block {grouped(number)}</h1>
                <p className="row wrap soft">
                  <Hash hex={hash} /> <span className="time">{time(block.timestamp)}</span>
                </p>
              </div>
              <div className="steps">
                {number === 0n ? null : (
                  <a className="button" href={at(number - 1n)}>
                    ← {grouped(number - 1n)}
                  </a>
                )}
                {hasNext ? (
                  <a className="button" href={at(number + 1n)}>
                    {grouped(number + 1n)} →
                  </a>
                ) : null}
              </div>
              <BlockVerdict place={place} hash={hash} isVerified={isVerified} label="Trust this hash">
                {isVerified
                  ? "The header hashes to the hash that you trust. Its roots match the lists below."
                  : "The header hashes to this hash, but only the node says that the block is on the chain."}
              </BlockVerdict>
            </div>
            <FieldBytes
              title={
                <>
                  Header <span>{RlpFields.forkOf(RlpFields.read("header", bytes)?.length ?? 0)}</span>
                </>
              }
              form="header"
              bytes={bytes}
              expected={hash}
              expectedName={trust === hash ? "your hash" : "the hash of the block"}
              linkOf={(field) => proof({ _tag: "Header", field })}
              // oxlint-disable-next-line react/no-unstable-nested-components
              beside={({ name }) =>
                name === "parentHash" && number > 0n ? (
                  <a
                    className="also"
                    href={
                      ConsoleRoute.link({
                        _tag: "Block",
                        network,
                        block: block.parentHash,
                        trust: trust === undefined ? undefined : block.parentHash
                      }).href
                    }
                  >
                    block {grouped(number - 1n)}
                  </a>
                ) : name === "gasUsed" ? (
                  <span className="also">{percent(block.gasUsed, block.gasLimit)} of the limit</span>
                ) : null
              }
            />
            <div className="abreast mt-4">
              <section className="sheet">
                <header>
                  <h2>
                    Transactions{" "}
                    <span>
                      {block.transactions.length === 0
                        ? "none, by transactionsRoot"
                        : `${block.transactions.length}, proven in order by transactionsRoot`}
                    </span>
                  </h2>
                </header>
                {block.transactions.length === 0 ? null : (
                  <div className="scroll">
                    <table>
                      <thead>
                        <tr>
                          <th>#</th>
                          <th>Hash</th>
                          <th>From</th>
                          <th>To</th>
                          <th className="end">Value</th>
                        </tr>
                      </thead>
                      <tbody>
                        {block.transactions.map((transaction, i) => (
                          <tr key={transaction.hash}>
                            <td>{i}</td>
                            <td>
                              <Hash
                                hex={transaction.hash}
                                link={ConsoleRoute.link({ _tag: "Transaction", network, hash: transaction.hash })}
                              />
                            </td>
                            {EthTransaction.isKnown(transaction) ? (
                              <Parties
                                transaction={transaction}
                                account={account}
                                value={proof({ _tag: "Item", list: "transactions", index: i, field: "value" })}
                              />
                            ) : (
                              <td colSpan={3} className="soft">
                                of a type that this console does not know
                              </td>
                            )}
                          </tr>
                        ))}
                      </tbody>
                    </table>
                  </div>
                )}
              </section>
              <section className="sheet">
                <header>
                  <h2>
                    Uncles{" "}
                    <span>
                      {uncles.length === 0 ? "none, by sha3Uncles" : `${uncles.length}, proven whole by sha3Uncles`}
                    </span>
                  </h2>
                </header>
                {uncles.length === 0 ? null : (
                  <div className="scroll">
                    <table>
                      <thead>
                        <tr>
                          <th>#</th>
                          <th>Hash</th>
                          <th className="end">Number</th>
                          <th>Miner</th>
                          <th className="end">Age</th>
                        </tr>
                      </thead>
                      <tbody>
                        {uncles.map((uncle, i) => (
                          <tr key={uncle.hash}>
                            <td>{i}</td>
                            <td>
                              {uncle.hash === null ? null : (
                                <Hash
                                  hex={uncle.hash}
                                  link={{ href: proof({ _tag: "Item", list: "uncles", index: i, field: "" }) }}
                                />
                              )}
                            </td>
                            <td className="end">
                              <a href={proof({ _tag: "Item", list: "uncles", index: i, field: "number" })}>
                                {grouped(uncle.number ?? 0n)}
                              </a>
                            </td>
                            <td>
                              {uncle.miner === null ? null : (
                                <Hash
                                  hex={uncle.miner}
                                  link={{ href: proof({ _tag: "Item", list: "uncles", index: i, field: "miner" }) }}
                                />
                              )}
                            </td>
                            <td className="end">{count(number - (uncle.number ?? number), "block")} back</td>
                          </tr>
                        ))}
                      </tbody>
                    </table>
                  </div>
                )}
              </section>
            </div>
            <div style={{ height: 16 }} />
            {block.blockAccessListHash === undefined ? null : (
              <BlockAccessList
                place={{ ...place, block: hash }}
                isVerified={isVerified}
                transactions={block.transactions.length}
                account={account}
              />
            )}
            <Claims
              claimed={verdict.claimed}
              values={{
                totalDifficulty: block.totalDifficulty === undefined ? undefined : grouped(block.totalDifficulty),
                size: block.size === undefined ? undefined : grouped(block.size)
              }}
            />
          </div>
        )
      }}
    </ReadState>
  )
}

/** The sender, the recipient and the value of a transaction. */
const Parties = ({
  account,
  transaction,
  value
}: {
  readonly transaction: EthTransaction.KnownTransaction
  readonly account: (address: string) => { readonly href: string }
  readonly value: string
}) => (
  <>
    <td>
      <Hash hex={transaction.from} link={account(transaction.from)} />
    </td>
    <td>
      {transaction.to === null ? (
        <span className="soft">a new contract</span>
      ) : (
        <Hash hex={transaction.to} link={account(transaction.to)} />
      )}
    </td>
    <td className="end">
      <a href={value}>{ether(transaction.value)}</a>
    </td>
  </>
)

const percent = (part: bigint, whole: bigint): string =>
  whole === 0n ? "0 %" : `${(Number((part * 1000n) / whole) / 10).toFixed(1)} %`

export default Block
