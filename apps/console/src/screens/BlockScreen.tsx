/** Shows a block: the facts, its transactions and the other lists that the header proves, and the header's bytes. */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import type * as EthBlock from "@plumbline/eth-methods/model/Block"
import * as BlockRlp from "@plumbline/eth-methods/rlp/BlockRlp"
import type * as Verdict from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"

import { noBlock, numberOrTag } from "../chain/GatherEvidence.ts"
import { NetworkClients } from "../chain/NetworkClients.ts"
import { anchorOf } from "../chain/Reach.ts"
import { Age } from "../look/Age.tsx"
import { Fold } from "../look/Fold.tsx"
import { Hash } from "../look/Hash.tsx"
import { count, grouped } from "../look/TextFormats.ts"
import { registry, useAtom } from "../look/useAtom.ts"
import { placeReads } from "../parts/placeReads.ts"
import { ReadState } from "../parts/ReadState.tsx"
import { RecordedChain } from "../parts/RecordedChain.tsx"
import { BlockVerdict } from "../parts/VerdictStrip.tsx"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import { BlockAccessList } from "./BlockAccessList.tsx"
import { BlockFacts } from "./BlockFacts.tsx"
import { BlockHeader } from "./BlockHeader.tsx"
import { BlockTransactions } from "./BlockTransactions.tsx"
import { BlockUncles } from "./BlockUncles.tsx"
import { BlockWithdrawals } from "./BlockWithdrawals.tsx"
import { Claims } from "./Claims.tsx"
import type { ShownBlock } from "./ShownBlock.ts"

import "./explorer.css"

type BlockRoute = Extract<ConsoleRoute.ConsoleRoute, { readonly _tag: "Block" }>

const found = placeReads((place: BlockRoute) =>
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
    const anchor = verdict._tag === "VERIFIED" ? yield* anchorOf(place.trust, named) : undefined
    // the newest block has no next one yet; without an answer, the link stays
    const head = yield* Effect.orElseSucceed(chain.eth.blockNumber, () => undefined)
    const hasNext = head === undefined || head > named.number
    return { verdict, anchor, block: { ...block, ...named }, hasNext, uncles, bytes }
  })
)

const Block = ({ place }: { readonly place: BlockRoute }) => {
  const atom = found(place)
  const result = useAtom(atom)
  return (
    <ReadState result={result} what={`block ${place.block}`} again={() => registry.refresh(atom)}>
      {({ anchor, block, bytes, hasNext, uncles, verdict }) => {
        const { network } = place
        const { hash, number } = block
        const isVerified = anchor !== undefined
        const trust = isVerified ? place.trust : undefined
        const shown: ShownBlock = {
          network,
          block,
          trust,
          proof: (subject) => ConsoleRoute.link({ _tag: "Proof", network, block: hash, subject, trust }).href,
          account: (address) => ConsoleRoute.link({ _tag: "Account", network, address, block: hash, trust })
        }
        return (
          <div className="page explorer">
            <div className="lead">
              <div>
                <h1>Block {grouped(number)}</h1>
                <p className="row wrap">
                  <Hash hex={hash} /> <Age seconds={block.timestamp} />{" "}
                  <RecordedChain network={network} seconds={block.timestamp} />
                </p>
              </div>
              <Neighbours network={network} number={number} hasNext={hasNext} />
              <BlockVerdict place={place} hash={hash} isVerified={isVerified} anchor={anchor} label="Trust this hash">
                {isVerified
                  ? "The header hashes to a hash that you trust. Its roots match the lists below."
                  : "The header hashes to this hash, but only the node says that the block is on the chain."}
              </BlockVerdict>
            </div>
            <BlockFacts shown={shown} uncles={uncles.length} fields={bytes} />
            <BlockTransactions shown={shown} />
            <BlockWithdrawals shown={shown} />
            <BlockUncles shown={shown} uncles={uncles} />
            {block.blockAccessListHash === undefined ? null : (
              <BlockAccessList
                place={{ ...place, block: hash }}
                isVerified={isVerified}
                transactions={block.transactions.length}
                account={shown.account}
              />
            )}
            <Fold title="Header and bytes" note={`${count(bytes.length, "byte")}, each with its field`}>
              {() => <BlockHeader shown={shown} bytes={bytes} isOwnHash={trust === hash} />}
            </Fold>
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

/** The links to the blocks before and after. */
const Neighbours = ({
  hasNext,
  network,
  number
}: {
  readonly network: string
  readonly number: bigint
  readonly hasNext: boolean
}) => {
  const at = (block: bigint): string => ConsoleRoute.link({ _tag: "Block", network, block: String(block) }).href
  return (
    <nav className="steps" aria-label="Neighbours">
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
    </nav>
  )
}

export default Block
