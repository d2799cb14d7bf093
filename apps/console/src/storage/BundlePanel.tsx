/** Makes a bundle of variables in the page, and shows, saves or publishes it. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Address from "@plumbline/codec/value/Address"
import * as VerdictEthClient from "@plumbline/eth-methods/verified/VerdictEthClient"
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as ProofBundle from "@plumbline/proof-bundle/bundle/ProofBundle"
import * as BundleIpfs from "@plumbline/proof-bundle/ipfs/BundleIpfs"
import * as Effect from "effect/Effect"
import * as Atom from "effect/reactivity/Atom"
import * as Result from "effect/Result"
import { useMemo, useState } from "react"

import { WithAccess } from "../access/WithAccess.tsx"
import { NetworkClients } from "../chain/NetworkClients.ts"
import * as PageSession from "../chain/PageSession.ts"
import { read } from "../chain/ReadAtoms.ts"
import { Copied, Hash } from "../look/Hash.tsx"
import { count, grouped } from "../look/TextFormats.ts"
import { registry, useAtom } from "../look/useAtom.ts"
import { BlockPicture } from "../parts/BlockPicture.tsx"
import { ReadState } from "../parts/ReadState.tsx"
import * as Router from "../route/Router.ts"
import * as ChosenLayouts from "../variables/ChosenLayouts.ts"
import * as HandedBundle from "../verify/HandedBundle.ts"
import * as OpenBundle from "../verify/OpenBundle.ts"

/** The variables, the contract and the block of a requested bundle. */
interface Asked {
  readonly network: string
  readonly trust: string | undefined
  readonly address: string
  readonly hash: Hash32.Hash32
  readonly layout: number
  readonly paths: ReadonlyArray<string>
}

const made = Atom.family((id: string) => {
  const { address, hash, layout: layoutId, paths, ...at } = JSON.parse(id) as Asked
  const { layout } = ChosenLayouts.withId(layoutId)
  return read(
    at,
    Effect.gen(function* () {
      const verdicts = yield* (yield* NetworkClients).verdicts
      const contract = { address: Address.fromHexUnsafe(address), layout, paths }
      const { value } = yield* ProofBundle.make({ block: hash, contracts: [contract] }).pipe(
        Effect.provideService(VerdictEthClient.VerdictEthClient, verdicts)
      )
      return { bundle: value, file: ProofBundle.encode(value) }
    })
  )
})

/** The panel. */
const BundlePanel = ({
  address,
  block,
  layout,
  network,
  onClose,
  paths,
  trust
}: {
  readonly network: string
  readonly trust: string | undefined
  readonly address: string
  readonly block: { readonly hash: string; readonly number: bigint }
  readonly layout: ChosenLayouts.NamedLayout
  readonly paths: ReadonlyArray<string>
  readonly onClose: () => void
}) => {
  const atom = made(JSON.stringify({ network, trust, address, hash: block.hash, layout: layout.id, paths }))
  const result = useAtom(atom)
  const name = `${address.slice(0, 8)}-block-${block.number}.car`
  return (
    <section className="sheet" aria-label="Bundle">
      <header>
        <h2>
          Bundle{" "}
          <span>
            {count(paths.length, "value")} of block {grouped(block.number)}
          </span>
        </h2>
        <button type="button" className="plain" onClick={onClose}>
          Close
        </button>
      </header>
      <ReadState result={result} what="the proofs of the bundle" again={() => registry.refresh(atom)}>
        {({ bundle, file }) => (
          <Made
            bundle={bundle}
            file={file}
            name={name}
            layout={layout}
            tone={trust === undefined ? "claimed" : "verified"}
          />
        )}
      </ReadState>
    </section>
  )
}

const Made = ({
  bundle,
  file,
  layout,
  name,
  tone
}: {
  readonly bundle: ProofBundle.ProofBundle
  readonly file: Uint8Array<ArrayBuffer>
  readonly name: string
  readonly layout: ChosenLayouts.NamedLayout
  readonly tone: string
}) => {
  const sections = useMemo(() => OpenBundle.sectionsOf(file), [file])
  const list = useMemo(() => Cid.toText(BundleIpfs.listOf(bundle).cid), [bundle])
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? sections : sections.slice(0, FEW)
  const save = (): void => {
    const url = URL.createObjectURL(new Blob([file], { type: "application/vnd.ipld.car" }))
    const link = Object.assign(document.createElement("a"), { href: url, download: name })
    link.click()
    setTimeout(() => URL.revokeObjectURL(url), 60_000)
  }
  const open = (): void => {
    HandedBundle.hand({ name, bytes: file, layout: { name: layout.name, layout: layout.layout } })
    Router.go({ _tag: "Verify" })
    scrollTo(0, 0)
  }
  return (
    <>
      <div className="inset stack below-header">
        <dl className="bundle-figures terms t-13">
          <dt>file</dt>
          <dd>
            {grouped(file.length)} bytes, {count(sections.length, "block")}
          </dd>
          <dt>block</dt>
          <dd>
            <Hash hex={bundle.blockHash} />
          </dd>
          <dt>root CID</dt>
          <dd className="whole">
            <Copied className="hash" text={Cid.toText(bundle.root)} label={ends(Cid.toText(bundle.root))} />
          </dd>
          <dt>list CID</dt>
          <dd className="whole">
            <Copied className="hash" text={list} label={ends(list)} />
          </dd>
        </dl>
        <p className="row wrap mt-4">
          <button type="button" className="button primary" onClick={save}>
            Download the CAR
          </button>
          <button type="button" className="button" onClick={open}>
            Open it in Verify
          </button>
        </p>
      </div>
      <div className="inset">
        <h3>On IPFS</h3>
        <WithAccess what="to publish">{(access) => <Publish bundle={bundle} access={access} />}</WithAccess>
      </div>
      <div className="inset" style={{ padding: 0 }}>
        <BlockPicture sections={shown} broken={-1} tone={tone} />
        {sections.length > FEW ? (
          <p className="inset below-header">
            <button type="button" className="plain" onClick={() => setWhole(!isWhole)}>
              {isWhole ? "Show the first blocks" : `Show all ${sections.length} blocks`}
            </button>
          </p>
        ) : null}
      </div>
    </>
  )
}

/** The number of blocks that are drawn before the reader unfolds the others. */
const FEW = 8

/** Returns the first eight and the last four characters of a CID. */
const ends = (cid: string): string => `${cid.slice(0, 8)}…${cid.slice(-4)}`

const Publish = ({
  access,
  bundle
}: {
  readonly access: PageSession.ProjectAccess
  readonly bundle: ProofBundle.ProofBundle
}) => {
  const [isSending, setSending] = useState(false)
  const [outcome, setOutcome] = useState<Result.Result<BundleIpfs.Published, string> | undefined>(undefined)
  const publish = async (): Promise<void> => {
    setSending(true)
    const { publish } = await import("../chain/IpfsBundles.ts")
    setOutcome(await publish(bundle, access, registry.get(PageSession.service)))
    setSending(false)
  }
  if (outcome !== undefined && Result.isSuccess(outcome)) {
    const list = Cid.toText(outcome.success.list)
    return (
      <div className="stack" role="status">
        <p className="soft">
          The service's node has {count(outcome.success.blocks, "block")}, and pinned their list for your project.
        </p>
        <p className="whole">{list}</p>
        <p className="row wrap">
          <Copied text={list} label="Copy the CID" />
          <button type="button" className="button" onClick={() => Router.go({ _tag: "Verify", cid: list })}>
            Verify it from IPFS
          </button>
        </p>
      </div>
    )
  }
  return (
    <>
      <p className="row wrap">
        <button type="button" className="button" disabled={isSending} onClick={() => void publish()}>
          {isSending ? "Publishing" : "Publish and pin"}
        </button>
      </p>
      {outcome === undefined ? null : (
        <p role="alert" className="problem mt-2">
          {outcome.failure}
        </p>
      )}
    </>
  )
}

export default BundlePanel
