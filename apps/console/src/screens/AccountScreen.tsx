/** An account at a block: its four fields, its code, and a link to its storage. */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Address from "@plumbline/codec/value/Address"
import * as Effect from "effect/Effect"
import * as Atom from "effect/reactivity/Atom"
import { useState } from "react"

import { NetworkClients } from "../chain/NetworkClients.ts"
import { numberedBlock, reaches } from "../chain/Reach.ts"
import { read } from "../chain/ReadAtoms.ts"
import { Hash } from "../look/Hash.tsx"
import { count, ether, grouped } from "../look/TextFormats.ts"
import { registry, useAtom } from "../look/useAtom.ts"
import { BlockVerdict } from "../parts/LeadVerdict.tsx"
import { ReadState } from "../parts/ReadState.tsx"
import { TypedField } from "../parts/TypedField.tsx"
import * as AccountState from "../proof/AccountState.ts"
import type { AccountField, ProofSubject } from "../proof/ProofSubject.ts"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import * as Router from "../route/Router.ts"
import * as TypedText from "../route/TypedText.ts"
import { Claims } from "./Claims.tsx"

import "./explorer.css"

type AccountRoute = Extract<ConsoleRoute.ConsoleRoute, { readonly _tag: "Account" }>

const found = Atom.family((id: string) => {
  const place = ConsoleRoute.parseHref(id) as AccountRoute
  return read(
    place,
    Effect.gen(function* () {
      const chain = yield* NetworkClients
      const verdicts = yield* chain.verdicts
      const block = yield* numberedBlock(place.block)
      const address = Address.fromHexUnsafe(place.address)
      const proof = yield* verdicts.getProof(address, [], { blockHash: block.hash })
      const isVerified = proof._tag === "VERIFIED" && (yield* reaches(place.trust, block))
      const { value: code } = yield* verdicts.getCode(address, { blockHash: block.hash })
      return { block, proof, isVerified, codeBytes: (code.length - 2) / 2 }
    })
  )
})

const Account = ({ place }: { readonly place: AccountRoute }) => {
  const atom = found(ConsoleRoute.link(place).href)
  const result = useAtom(atom)
  return (
    <ReadState result={result} what="the account" again={() => registry.refresh(atom)}>
      {({ block, codeBytes, isVerified, proof }) => {
        const { address, network } = place
        const { balance, codeHash, nonce, storageHash } = proof.value
        const trust = isVerified ? place.trust : undefined
        const link = (subject: ProofSubject): string =>
          ConsoleRoute.link({ _tag: "Proof", network, block: block.hash, subject, trust }).href
        const field = (name: AccountField): string => link({ _tag: "Account", address, field: name })
        const state = AccountState.of({ balance, nonce, codeBytes, proven: proof.proven })
        const isContract = state === "contract"
        const word = isVerified ? "VERIFIED" : "CLAIMED"
        const warning = AccountState.warningOf(state, "field")
        return (
          <div className="page explorer">
            <div className="lead">
              <div>
                <p className="value-name">{Address.checksum(Address.fromHexUnsafe(address))}</p>
                <h1>{state === "absent" ? "No account" : ether(balance)}</h1>
                <p className="soft">
                  {AccountState.NAMES[state]} at{" "}
                  <a href={ConsoleRoute.link({ _tag: "Block", network, block: block.hash, trust }).href}>
                    block {grouped(block.number)}
                  </a>
                </p>
              </div>
              <BlockVerdict place={place} hash={block.hash} isVerified={isVerified}>
                {AccountState.sentenceOf(state, word)}
              </BlockVerdict>
            </div>
            {warning === undefined ? null : <p className="sheet inset problem mb-4">{warning}</p>}
            <div className="abreast">
              <section className="sheet">
                <header>
                  <h2>
                    Account <span>open any value to see why it is true</span>
                  </h2>
                </header>
                <div className="scroll">
                  <table>
                    <tbody>
                      <tr>
                        <td>balance</td>
                        <td>
                          <a href={field("balance")}>{ether(balance)}</a>{" "}
                          <span className="quiet small">{grouped(balance)} wei</span>
                        </td>
                      </tr>
                      <tr>
                        <td>nonce</td>
                        <td>
                          <a href={field("nonce")}>{String(nonce)}</a>
                        </td>
                      </tr>
                      <tr>
                        <td>storageRoot</td>
                        <td>
                          <Hash hex={storageHash} link={{ href: field("storageRoot") }} />
                        </td>
                      </tr>
                      <tr>
                        <td>codeHash</td>
                        <td>
                          <Hash hex={codeHash} link={{ href: field("codeHash") }} />
                        </td>
                      </tr>
                      <tr>
                        <td>code</td>
                        <td>
                          {isContract ? (
                            <>
                              <a href={field("code")}>{count(codeBytes, "byte")}</a>{" "}
                              <a
                                className="small"
                                href={
                                  ConsoleRoute.link({ _tag: "Contract", network, address, block: block.hash, trust })
                                    .href
                                }
                              >
                                call its functions
                              </a>
                            </>
                          ) : (
                            <span className="soft">none</span>
                          )}
                        </td>
                      </tr>
                    </tbody>
                  </table>
                </div>
              </section>
              <SlotSheet
                isContract={isContract}
                names={ConsoleRoute.link({ _tag: "Storage", network, address, block: block.hash, trust }).href}
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
            </div>
            <div style={{ height: 16 }} />
            <Claims claimed={proof.claimed} />
          </div>
        )
      }}
    </ReadState>
  )
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
