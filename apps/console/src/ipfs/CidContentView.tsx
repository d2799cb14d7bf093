/** Shows the content of a CID: a directory, a file as picture or text, a value, or the blocks below it. */
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as UnixFs from "@plumbline/ipfs-client/unixfs/UnixFs"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import * as Atom from "effect/reactivity/Atom"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { useState } from "react"

import { bytes, count } from "../look/TextFormats.ts"
import { registry, useAtom } from "../look/useAtom.ts"
import type { ReadFailure } from "../parts/ReadState.tsx"
import { VerdictStrip } from "../parts/VerdictStrip.tsx"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import { CidLink } from "./CidLink.tsx"
import * as ContentReads from "./ContentReads.ts"
import { CopyLink } from "./CopyLink.tsx"
import { DagPicture } from "./DagPicture.tsx"
import { DirectoryList } from "./DirectoryList.tsx"
import { TroubleAnswer, tell } from "./IpfsTrouble.tsx"
import * as Pins from "./Pins.ts"
import { Preview, Scrolled } from "./Preview.tsx"

const contents = Atom.family((id: string) => {
  const [most = "", href = ""] = id.split(" ")
  return ContentReads.readsOf.content(href, Number(most))
})
const pictures = Atom.family((id: string) => ContentReads.readsOf.picture(id))

/** The screen of one CID and path. */
export const CidContentView = ({ place }: { readonly place: ConsoleRoute.IpfsRoute }) => {
  const { href } = ConsoleRoute.link(place)
  return (
    <div className="page">
      <nav aria-label="Path" className="crumbs">
        <a href={ConsoleRoute.link({ _tag: "Ipfs" }).href}>IPFS</a>
        {[undefined, ...(place.path ?? [])].map((name, at) => (
          <a
            key={place.path?.slice(0, at).join("/") ?? ""}
            href={ConsoleRoute.link({ ...place, view: undefined, path: place.path?.slice(0, at) ?? [] }).href}
          >
            {name ?? `${(place.cid ?? "").slice(0, 8)}…${(place.cid ?? "").slice(-4)}`}
          </a>
        ))}
      </nav>
      {place.view === "dag" ? <Blocks id={href} place={place} /> : <Whole id={href} place={place} />}
    </div>
  )
}

const Views = ({ place }: { readonly place: ConsoleRoute.IpfsRoute }) => (
  <nav className="pills" aria-label="View">
    <a
      href={ConsoleRoute.link({ ...place, view: undefined }).href}
      aria-current={place.view === undefined ? "page" : undefined}
    >
      Content
    </a>
    <a
      href={ConsoleRoute.link({ ...place, view: "dag" }).href}
      aria-current={place.view === "dag" ? "page" : undefined}
    >
      Blocks
    </a>
  </nav>
)

const Blocks = ({ id, place }: { readonly id: string; readonly place: ConsoleRoute.IpfsRoute }) => {
  const atom = pictures(id)
  const result = useAtom(atom)
  return (
    <TroubleAnswer result={result} what="the blocks" again={() => registry.refresh(atom)}>
      {(picture) => <DagPicture picture={picture} views={<Views place={place} />} />}
    </TroubleAnswer>
  )
}

const Whole = ({ id, place }: { readonly id: string; readonly place: ConsoleRoute.IpfsRoute }) => {
  const [most, setMost] = useState(ContentReads.FIRST_ENTRIES)
  const atom = contents(`${most} ${id}`)
  const result = useAtom(atom)
  const pins = Option.getOrUndefined(AsyncResult.value(useAtom(Pins.list)))
  const pinned = pins?.pins.find(({ cid }) => cid === place.cid)?.name
  return (
    <TroubleAnswer result={result} what="the content" again={() => registry.refresh(atom)}>
      {(kept) => (
        <>
          <div className="lead">
            <div>
              <h1 className="file-title">{place.path?.at(-1) ?? (pinned || TITLES[kept._tag])}</h1>
              <p className="soft row wrap">
                <span>{factsOf(kept)}</span>
                <CidLink cid={kept.cid} isCopied />
              </p>
            </div>
            <p className="row wrap">
              <CopyLink place={place} />
            </p>
            <VerdictStrip word="VERIFIED" hangsFrom="the CID in the address of this page">
              {kept._tag === "File" && kept.size > kept.head.length
                ? `The first ${bytes(kept.head.length)} were hashed here, ${count(kept.read.blocks, "block")}.`
                : `${count(kept.read.blocks, "block")}, ${bytes(kept.read.bytes)}, hashed in this browser against the CID.`}
            </VerdictStrip>
          </div>
          <section className="sheet file-list">
            <header>
              <Views place={place} />
              {kept._tag === "File" ? <Download kept={kept} name={place.path?.at(-1) ?? Cid.toText(kept.cid)} /> : null}
            </header>
            <Inside kept={kept} place={place} onMore={() => setMost(Math.min(most * 10, ContentReads.MAX_ENTRIES))} />
          </section>
        </>
      )}
    </TroubleAnswer>
  )
}

const TITLES = { Directory: "A folder", File: "A file", Symlink: "A symlink", Value: "A value" } as const

const factsOf = (kept: ContentReads.CidContent): string => {
  switch (kept._tag) {
    case "Directory":
      return `${kept.isCut ? "The first " : ""}${count(kept.entries.length, "name")}, ${kept.codec}`
    case "File":
      return `${bytes(kept.size)}, ${kept.codec}`
    case "Symlink":
      return "Its target is shown, but never followed."
    case "Value":
      return `${kept.codec}, ${count(kept.links.length, "link")}`
  }
}

const Inside = ({
  kept,
  onMore,
  place
}: {
  readonly kept: ContentReads.CidContent
  readonly onMore: () => void
  readonly place: ConsoleRoute.IpfsRoute
}) => {
  switch (kept._tag) {
    case "File":
      return <Preview head={kept.head} size={kept.size} />
    case "Symlink":
      return <p className="inset mono">{kept.target.slice(0, 1000)}</p>
    case "Value":
      return (
        <>
          <Scrolled>{kept.text}</Scrolled>
          {kept.links.length === 0 ? null : (
            <p className="inset row wrap">
              {kept.links.slice(0, MAX_LINKS).map((cid) => (
                <CidLink key={Cid.toText(cid)} cid={cid} />
              ))}
            </p>
          )}
        </>
      )
    case "Directory":
      return <DirectoryList {...kept} place={place} onMore={onMore} />
  }
}

/** Maximum number of links that are listed. */
const MAX_LINKS = 200

/** Maximum number of bytes of a download. The page holds a file in memory until it is complete and checked. */
const MAX_DOWNLOAD = 512 * 1024 * 1024

/** Reads a file to its end, and saves it only if every block is right. */
const Download = ({
  kept,
  name
}: {
  readonly kept: Extract<ContentReads.CidContent, { readonly _tag: "File" }>
  readonly name: string
}) => {
  const [state, setState] = useState<number | string | undefined>(undefined)
  const isReading = typeof state === "number"
  const { cid, size, source } = kept
  const save = (): void => {
    const pieces: Array<Uint8Array<ArrayBuffer>> = []
    let read = 0
    setState(0)
    const whole = UnixFs.cat(source, cid).pipe(
      Stream.runForEach((piece) =>
        Effect.sync(() => {
          pieces.push(new Uint8Array(piece))
          read += piece.length
          setState(size === 0 ? 1 : read / size)
        })
      )
    )
    void Effect.runPromise(Effect.result(whole)).then((done) => {
      if (Result.isFailure(done)) {
        const { _tag, message } = done.failure as ReadFailure
        const said = _tag === "RefutedError" ? `REFUTED: ${message}` : tell(done.failure as ReadFailure).text
        setState(`${said.slice(0, 300)} Nothing was saved.`)
        return
      }
      // a neutral type, so that no browser opens the file instead of saving it
      const url = URL.createObjectURL(new Blob(pieces, { type: "application/octet-stream" }))
      const anchor = document.createElement("a")
      anchor.href = url
      anchor.download = name
      anchor.click()
      setTimeout(() => URL.revokeObjectURL(url), 60_000)
      setState(undefined)
    })
  }
  if (size > MAX_DOWNLOAD) {
    return <span className="small soft">Larger than {bytes(MAX_DOWNLOAD)}: use plumbline ipfs get.</span>
  }
  return (
    <span className="row">
      {typeof state === "string" ? (
        <span className="problem" role="alert">
          {state}
        </span>
      ) : null}
      {isReading ? <progress value={state} max={1} aria-label="Reading the file" /> : null}
      <button type="button" className="button" disabled={isReading} onClick={save}>
        {isReading ? "Reading the file …" : "Download, every block checked"}
      </button>
    </span>
  )
}
