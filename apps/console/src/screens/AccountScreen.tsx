/** An account at a block: its facts, what it did in the block, its tokens, and its fields and storage. */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Address from "@plumbline/codec/value/Address"
import * as Effect from "effect/Effect"
import { lazy, Suspense, useState } from "react"

import { NetworkClients } from "../chain/NetworkClients.ts"
import { anchorOf, numberedBlock } from "../chain/Reach.ts"
import { Age } from "../look/Age.tsx"
import { Digits } from "../look/Digits.tsx"
import { Fold } from "../look/Fold.tsx"
import { Hash } from "../look/Hash.tsx"
import { count, ether, grouped } from "../look/TextFormats.ts"
import { registry, useAtom } from "../look/useAtom.ts"
import { placeReads } from "../parts/placeReads.ts"
import { ReadState } from "../parts/ReadState.tsx"
import { RecordedChain } from "../parts/RecordedChain.tsx"
import { TypedField } from "../parts/TypedField.tsx"
import { BlockVerdict } from "../parts/VerdictStrip.tsx"
import * as AccountState from "../proof/AccountState.ts"
import * as CodeKind from "../proof/CodeKind.ts"
import type { AccountField, ProofSubject } from "../proof/ProofSubject.ts"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import * as Router from "../route/Router.ts"
import * as TypedText from "../route/TypedText.ts"
import { InThisBlock } from "./AccountActivity.tsx"
import { Claims } from "./Claims.tsx"
import { Fact, Facts } from "./Facts.tsx"
import { Party } from "./Party.tsx"

import "./explorer.css"

const TokenBalances = lazy(() => import("../contract/TokenBalances.tsx"))
const PrimaryName = lazy(() => import("./PrimaryName.tsx"))

type AccountRoute = Extract<ConsoleRoute.ConsoleRoute, { readonly _tag: "Account" }>

const found = placeReads((place: AccountRoute) =>
  Effect.gen(function* () {
    const chain = yield* NetworkClients
    const verdicts = yield* chain.verdicts
    const block = yield* numberedBlock(place.block)
    const address = Address.fromHexUnsafe(place.address)
    const proof = yield* verdicts.getProof(address, [], { blockHash: block.hash })
    const anchor = proof._tag === "VERIFIED" ? yield* anchorOf(place.trust, block) : undefined
    const { value: code } = yield* verdicts.getCode(address, { blockHash: block.hash })
    return { block, proof, anchor, code }
  })
)

const Account = ({ place }: { readonly place: AccountRoute }) => {
  const atom = found(place)
  const result = useAtom(atom)
  return (
    <ReadState result={result} what="the account" again={() => registry.refresh(atom)}>
      {({ anchor, block, code, proof }) => {
        const { address, network } = place
        const { balance, codeHash, nonce, storageHash } = proof.value
        const isVerified = anchor !== undefined
        const trust = isVerified ? place.trust : undefined
        const link = (subject: ProofSubject): string =>
          ConsoleRoute.link({ _tag: "Proof", network, block: block.hash, subject, trust }).href
        const field = (name: AccountField): string => link({ _tag: "Account", address, field: name })
        const codeBytes = (code.length - 2) / 2
        const state = AccountState.of({ balance, nonce, codeBytes, proven: proof.proven })
        const kind = CodeKind.of(code)
        const hasStorage = kind._tag === "Contract" || kind._tag === "MinimalProxy" || kind._tag === "Delegation"
        const warning = AccountState.warningOf(state, "field")
        const at = { network, address, block: block.hash, trust } as const
        const slots = (
          <SlotSheet
            isContract={hasStorage}
            names={ConsoleRoute.link({ _tag: "Storage", ...at }).href}
            open={(slot) =>
              Router.go({
                _tag: "Proof",
                network,
                block: block.hash,
                trust,
                subject: { _tag: "Slot", address, slot }
              })
            }
          />
        )
        return (
          <div className="page explorer">
            <div className="lead">
              <div>
                <p className="value-name">
                  {Address.checksum(Address.fromHexUnsafe(address))}
                  {trust === undefined ? null : (
                    <Suspense fallback={null}>
                      {" "}
                      <PrimaryName {...at} />
                    </Suspense>
                  )}
                </p>
                <h1 className="amount">{state === "absent" ? "No account" : <Digits>{ether(balance)}</Digits>}</h1>
                <p className="soft row wrap">
                  <span>
                    {AccountState.NAMES[state]} at{" "}
                    <a href={ConsoleRoute.link({ _tag: "Block", network, block: block.hash, trust }).href}>
                      block {grouped(block.number)}
                    </a>
                  </span>
                  <Age seconds={block.timestamp} /> <RecordedChain network={network} seconds={block.timestamp} />
                </p>
              </div>
              <BlockVerdict place={place} hash={block.hash} isVerified={isVerified} anchor={anchor}>
                {AccountState.sentenceOf(state, isVerified ? "VERIFIED" : "CLAIMED")}
              </BlockVerdict>
            </div>
            {warning === undefined ? null : <p className="sheet inset problem mb-4">{warning}</p>}
            <section className="sheet" aria-label="Facts">
              <Facts>
                <Fact name="Balance">
                  <a href={field("balance")}>
                    <Digits>{ether(balance)}</Digits>
                  </a>{" "}
                  <span className="soft">
                    <Digits>{`${grouped(balance)} wei`}</Digits>
                  </span>
                </Fact>
                <Fact name={kind._tag === "None" || kind._tag === "Delegation" ? "Transactions sent" : "Nonce"}>
                  <a href={field("nonce")}>{grouped(nonce)}</a>
                </Fact>
                <Fact name="Code">
                  <Code kind={kind} at={at} href={field("code")} />
                </Fact>
                {kind._tag === "None" ? null : (
                  <Fact name="Read it">
                    <a href={ConsoleRoute.link({ _tag: "Contract", ...at }).href}>Functions</a>
                    {" · "}
                    <a href={ConsoleRoute.link({ _tag: "Storage", ...at }).href}>Variables</a>
                  </Fact>
                )}
              </Facts>
            </section>
            <InThisBlock place={{ ...place, block: block.hash }} number={block.number} isVerified={isVerified} />
            <Suspense fallback={null}>
              <TokenBalances
                holder={address}
                place={{
                  network,
                  trust: place.trust,
                  block: { hash: block.hash, number: block.number, isReached: isVerified }
                }}
              />
            </Suspense>
            {hasStorage ? slots : null}
            <Fold title="Fields" note="as the leaf of the state trie holds them">
              {() => (
                <div className="abreast">
                  <section className="sheet">
                    <header>
                      <h2>
                        Account <span>open any value to see why it is true</span>
                      </h2>
                    </header>
                    <dl className="terms inset below-header">
                      <dt>nonce</dt>
                      <dd>
                        <a href={field("nonce")}>{String(nonce)}</a>
                      </dd>
                      <dt>balance</dt>
                      <dd>
                        <a href={field("balance")}>{String(balance)}</a> wei
                      </dd>
                      <dt>storageRoot</dt>
                      <dd>
                        <Hash hex={storageHash} link={{ href: field("storageRoot") }} />
                      </dd>
                      <dt>codeHash</dt>
                      <dd>
                        <Hash hex={codeHash} link={{ href: field("codeHash") }} />
                      </dd>
                    </dl>
                  </section>
                  {hasStorage ? null : slots}
                </div>
              )}
            </Fold>
            <Claims claimed={proof.claimed} />
          </div>
        )
      }}
    </ReadState>
  )
}

/** The code of an account in words. */
const Code = ({
  at,
  href,
  kind
}: {
  readonly kind: CodeKind.CodeKind
  readonly at: { readonly network: string; readonly block: string; readonly trust: string | undefined }
  /** The link to the proof of the code. */
  readonly href: string
}) => {
  switch (kind._tag) {
    case "None":
      return <span className="soft">none: a key holds the account</span>
    case "Delegation":
      return (
        <>
          <a href={href}>delegates</a> to <Party {...at} address={kind.to} />{" "}
          <span className="soft">a key holds the account, and lends it that code</span>
        </>
      )
    case "MinimalProxy":
      return (
        <>
          <a href={href}>minimal proxy</a> of <Party {...at} address={kind.to} />
        </>
      )
    case "Contract":
      return (
        <>
          <a href={href}>{count(kind.bytes, "byte")}</a> <span className="soft">a contract</span>
        </>
      )
  }
}

const SlotSheet = ({
  isContract,
  names,
  open
}: {
  readonly isContract: boolean
  /** The link to the screen with variables by name. */
  readonly names: string
  readonly open: (slot: string) => void
}) => {
  const [slot, setSlot] = useState("0")
  const [key, setKey] = useState("")
  const [isAsked, ask] = useState(false)
  const base = TypedText.slotOf(slot.trim())
  const isKeyed = key.trim() !== ""
  const word = isKeyed ? TypedText.slotOf(key.trim()) : undefined
  const wanted =
    base === undefined || (isKeyed && word === undefined) ? undefined : word === undefined ? base : entryOf(word, base)
  return (
    <section className="sheet">
      <header>
        <h2>
          Storage <span>{isContract ? "any slot, or an entry of a mapping" : "an account without code has none"}</span>
        </h2>
      </header>
      <form
        className="inset stack below-header"
        onSubmit={(event) => {
          event.preventDefault()
          if (wanted === undefined) ask(true)
          else open(wanted)
        }}
      >
        <TypedField
          id="slot"
          label="Slot, as a number or in hex"
          value={slot}
          onText={setSlot}
          problem={isAsked ? TypedText.wordProblem(slot.trim()) : undefined}
        />
        <TypedField
          id="key"
          label="Key, if the slot is a Solidity mapping: an address or a number"
          value={key}
          onText={setKey}
          problem={isAsked && isKeyed ? TypedText.wordProblem(key.trim()) : undefined}
        />
        {isKeyed && wanted !== undefined ? (
          <p className="small soft">
            keccak-256 of the key and the slot, 64 bytes, is <Hash hex={wanted} />
          </p>
        ) : null}
        <p className="row">
          <button type="submit" className="button primary">
            Open the proof
          </button>
          {isContract ? <a href={names}>Read its variables by name</a> : null}
        </p>
      </form>
    </section>
  )
}

const entryOf = (key: string, slot: string): string => {
  const preimage = new Uint8Array(64)
  preimage.set(Hash32.toBytes(Hash32.fromHexUnsafe(key)))
  preimage.set(Hash32.toBytes(Hash32.fromHexUnsafe(slot)), 32)
  return Keccak256.hashHex(preimage)
}

export default Account
