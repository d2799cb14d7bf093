/** The list of what an account did in the block, and what was done with it. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Effect from "effect/Effect"
import { lazy, type ReactNode, Suspense } from "react"

import { NetworkClients } from "../chain/NetworkClients.ts"
import { VirtualTable } from "../charts/VirtualTable.tsx"
import { Hash } from "../look/Hash.tsx"
import { count, ether, grouped } from "../look/TextFormats.ts"
import { registry, useAtom } from "../look/useAtom.ts"
import { VerdictWord } from "../look/VerdictMark.tsx"
import { placeReads } from "../parts/placeReads.ts"
import { ReadState } from "../parts/ReadState.tsx"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import * as AccountEvents from "./accountEvents.ts"

const TokenAmount = lazy(() => import("../contract/TokenAmount.tsx"))

type AccountRoute = Extract<ConsoleRoute.ConsoleRoute, { readonly _tag: "Account" }>

const found = placeReads((place: AccountRoute) =>
  Effect.gen(function* () {
    const verdicts = yield* (yield* NetworkClients).verdicts
    const hash = place.block as Hash32.Hash32
    const block = yield* verdicts.getBlockByHash(hash, { full: true })
    const receipts = yield* verdicts.getBlockReceipts({ blockHash: hash })
    return {
      events: block.value === null ? [] : AccountEvents.of(place.address, block.value, receipts.value ?? []),
      hasReceipts: receipts.value !== null,
      // a block by its hash proves both lists; whether it is on the chain, the verdict of the screen says
      isProven:
        block._tag === "VERIFIED" && receipts.value !== null && !receipts.claimed.some(({ field }) => field === "logs")
    }
  })
)

/** The section. `place` has the hash of the block. */
export const InThisBlock = ({
  isVerified,
  number,
  place
}: {
  readonly place: AccountRoute
  readonly number: bigint
  readonly isVerified: boolean
}) => {
  const atom = found(place)
  const result = useAtom(atom)
  return (
    <section className="sheet" data-part="activity">
      <ReadState result={result} what="the block's lists" again={() => registry.refresh(atom)}>
        {({ events, hasReceipts, isProven }) => (
          <>
            <header>
              <h2>
                In this block{" "}
                <span>
                  {events.length === 0 ? "nothing that its lists name" : count(events.length, "event")}
                  {hasReceipts ? "" : "; the node has no receipts, so transfers of tokens are missing"}
                </span>
              </h2>
              <div>
                <VerdictWord word={isProven && isVerified ? "VERIFIED" : "CLAIMED"} />
              </div>
            </header>
            {events.length === 0 ? (
              <p className="inset below-header soft">
                Transactions, transfers of tokens and withdrawals were looked through. Calls between contracts are in no
                list of a block.
              </p>
            ) : (
              <VirtualTable
                label="What the account did in this block"
                total={events.length}
                figuresFrom={3}
                head={["Transaction", "What", "With", "Amount"]}
                row={(index) => rowOf(place, { number, isReached: isVerified }, events[index]!)}
              />
            )}
          </>
        )}
      </ReadState>
    </section>
  )
}

const WHAT = {
  Sent: "sent",
  Received: "received",
  Created: "was created",
  TokenIn: "token received",
  TokenOut: "token sent",
  Emitted: "emitted",
  Withdrawal: "withdrawal"
} as const

const rowOf = (
  { block, network, trust }: AccountRoute,
  { isReached, number }: { readonly number: bigint; readonly isReached: boolean },
  event: AccountEvents.AccountEvent
): ReadonlyArray<ReactNode> => {
  const linkTrust = isReached ? trust : undefined
  const account = (address: string): ReactNode => (
    <Hash hex={address} link={ConsoleRoute.link({ _tag: "Account", network, address, block, trust: linkTrust })} />
  )
  const transaction = (hash: string): ReactNode => (
    <Hash hex={hash} link={ConsoleRoute.link({ _tag: "Transaction", network, hash, trust: linkTrust })} />
  )
  switch (event._tag) {
    case "Withdrawal":
      return [`withdrawal ${event.index}`, WHAT.Withdrawal, `validator ${event.validator}`, ether(event.wei)]
    case "Emitted":
      return [transaction(event.hash), WHAT.Emitted, "", count(event.logs, "log")]
    case "TokenIn":
    case "TokenOut":
      return [
        transaction(event.hash),
        WHAT[event._tag],
        account(event.other),
        <span key="amount">
          {event.isUnique ? (
            `no. ${grouped(event.amount)} of `
          ) : (
            <Suspense fallback={grouped(event.amount)}>
              <TokenAmount
                amount={event.amount}
                place={{
                  network,
                  trust,
                  address: event.token,
                  block: { hash: block as Hash32.Hash32, number, isReached }
                }}
              />
            </Suspense>
          )}{" "}
          {account(event.token)}
        </span>
      ]
    default:
      return [
        transaction(event.hash),
        `${WHAT[event._tag]}${event.isFailed ? ", failed" : ""}`,
        event.other === null ? "a new contract" : account(event.other),
        ether(event.wei)
      ]
  }
}
