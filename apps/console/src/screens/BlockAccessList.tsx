/** Shows the access list of a block: what the block touched and changed, by verdict. */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Effect from "effect/Effect"

import { NetworkClients } from "../chain/NetworkClients.ts"
import { VirtualTable } from "../charts/VirtualTable.tsx"
import { Hash } from "../look/Hash.tsx"
import { count, ether, grouped } from "../look/TextFormats.ts"
import { registry, useAtom } from "../look/useAtom.ts"
import { VerdictWord } from "../look/VerdictMark.tsx"
import { placeReads } from "../parts/placeReads.ts"
import { ReadState } from "../parts/ReadState.tsx"
import type * as ConsoleRoute from "../route/ConsoleRoute.ts"
import * as AccessListRows from "./accessListRows.ts"
import { fixedBy } from "./ShownBlock.ts"

type BlockRoute = Extract<ConsoleRoute.ConsoleRoute, { readonly _tag: "Block" }>

const found = placeReads((place: BlockRoute) =>
  Effect.gen(function* () {
    const chain = yield* NetworkClients
    const verdicts = yield* chain.verdicts
    return yield* verdicts.getBlockAccessList(Hash32.fromHexUnsafe(place.block))
  })
)

/** The section. The block has a blockAccessListHash; `isVerified` is true if its hash follows from the reader's trust. */
export const BlockAccessList = ({
  account,
  isVerified,
  place,
  transactions
}: {
  /** The block, by its hash. */
  readonly place: BlockRoute
  readonly isVerified: boolean
  readonly transactions: number
  readonly account: (address: string) => { readonly href: string }
}) => {
  const atom = found(place)
  const result = useAtom(atom)
  return (
    <section className="sheet">
      <ReadState result={result} what="the block access list" again={() => registry.refresh(atom)}>
        {({ claimed, proven, value: list }) => {
          const isProven = proven.some(({ _tag }) => _tag === "BlockAccessList")
          const rows = AccessListRows.of(list ?? [])
          return (
            <>
              <header>
                <h2>
                  Access list <VerdictWord word={isProven && isVerified ? "VERIFIED" : "CLAIMED"} />{" "}
                  <span>
                    {isProven
                      ? `${count(list?.length ?? 0, "account")}, ${fixedBy("blockAccessListHash", "whole", isVerified)}`
                      : claimed[0]?.reason.sentence}
                  </span>
                </h2>
              </header>
              {rows.length === 0 ? null : (
                <VirtualTable
                  label="Accounts and slots that the block touched"
                  total={rows.length}
                  figuresFrom={3}
                  head={["Account", "What", "Since", "Value after it"]}
                  row={(index) => {
                    const { address, at, change } = rows[index]!
                    return [
                      <Hash key="account" hex={address} link={account(address)} />,
                      <What key="what" change={change} />,
                      <span key="since" className="soft">
                        {at === undefined ? "" : AccessListRows.placeOf(at, transactions)}
                      </span>,
                      <After key="after" change={change} />
                    ]
                  }}
                />
              )}
            </>
          )
        }}
      </ReadState>
    </section>
  )
}

const NAMES = { Balance: "balance", Nonce: "nonce", Code: "code", Touched: "no change" } as const

const What = ({ change }: Pick<AccessListRows.AccessListRow, "change">) =>
  change._tag === "Slot" || change._tag === "Read" ? (
    <>
      {change._tag === "Slot" ? "slot" : "slot, only read"} <Hash hex={change.key} />
    </>
  ) : (
    NAMES[change._tag]
  )

const After = ({ change }: Pick<AccessListRows.AccessListRow, "change">) => {
  switch (change._tag) {
    case "Slot":
      return <Hash hex={change.word} />
    case "Balance":
      return ether(change.wei)
    case "Nonce":
      return grouped(change.nonce)
    case "Code":
      return count(change.bytes, "byte")
    default:
      return null
  }
}
