/** A directory as a list of files: names and sizes first, pins beside them, CIDs last. */
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as Option from "effect/Option"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { type ReactNode, useMemo, useState } from "react"

import * as PageSession from "../chain/PageSession.ts"
import { VirtualTable } from "../charts/VirtualTable.tsx"
import { Copied } from "../look/Hash.tsx"
import { grouped } from "../look/TextFormats.ts"
import { useAtom } from "../look/useAtom.ts"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import { CidLink } from "./CidLink.tsx"
import * as ContentReads from "./ContentReads.ts"
import { EntryKind, EntrySize } from "./EntryFacts.tsx"
import { tell } from "./IpfsTrouble.tsx"
import * as Pins from "./Pins.ts"

/** The list. `cid` is that of the directory, and `onMore` reads more of a large one. */
export const DirectoryList = ({
  cid,
  entries,
  isCut,
  onMore,
  place
}: {
  readonly place: ConsoleRoute.IpfsRoute
  readonly cid: Cid.Cid
  readonly entries: ReadonlyArray<ContentReads.ContentEntry>
  readonly isCut: boolean
  readonly onMore: () => void
}) => {
  const [wanted, setWanted] = useState("")
  const [problem, setProblem] = useState<string | undefined>(undefined)
  const access = useAtom(PageSession.access)
  const pinned = Option.getOrUndefined(AsyncResult.value(useAtom(Pins.list)))
  const direct = useMemo(() => new Set<string>(pinned?.pins.map(({ cid }) => cid)), [pinned])
  const isWithin = [place.cid ?? "", Cid.toText(cid)].some((one) => direct.has(one))
  const shown = useMemo(
    () => entries.filter(({ name }) => name.toLowerCase().includes(wanted.trim().toLowerCase())),
    [entries, wanted]
  )
  const pin = (cid: Cid.Cid, name: string): void => {
    if (access === undefined) return
    void Pins.change(access, (client) => client.pinAdd(cid, { name })).then((failure) =>
      setProblem(failure === undefined ? undefined : `${tell(failure).title}. ${tell(failure).text}`)
    )
  }
  const hasPins = access !== undefined
  if (entries.length === 0) return <p className="inset soft">The directory is empty: its hash proves that.</p>
  return (
    <>
      <div className="inset ruled typed-row find-name">
        <input
          type="search"
          className="field"
          aria-label="Find a name in this folder"
          placeholder="Find a name in this folder"
          value={wanted}
          onChange={({ target }) => setWanted(target.value)}
        />
        <p className="small soft" role="status">
          {wanted.trim() === "" ? "" : `${grouped(shown.length)} of ${grouped(entries.length)}`}
        </p>
      </div>
      {problem === undefined ? null : (
        <p className="inset problem" role="alert">
          {problem}
        </p>
      )}
      {shown.length === 0 ? (
        <p className="inset ruled soft">
          No name that was read has this text.{" "}
          {isCut ? (
            <a href={ConsoleRoute.link(below(place, wanted.trim())).href}>Look up exactly “{wanted.trim()}”</a>
          ) : null}
        </p>
      ) : (
        <VirtualTable
          key={wanted}
          label="Files of the folder"
          total={shown.length}
          height={720}
          figuresFrom={1}
          head={["Name", "Size", ...(hasPins ? ["Pinned"] : []), "CID", { name: "Link", isSpoken: true }]}
          row={(index) => {
            const entry = shown[index]!
            return [
              <Name key="name" entry={entry} place={place} />,
              <EntrySize key="size" cid={entry.cid} said={entry.said} />,
              ...(hasPins
                ? [
                    <Pinned
                      key="pinned"
                      isDirect={direct.has(Cid.toText(entry.cid))}
                      isWithin={isWithin}
                      name={entry.name}
                      onPin={() => pin(entry.cid, entry.name)}
                    />
                  ]
                : []),
              <CidLink key="cid" cid={entry.cid} />,
              <Copied
                key="copy"
                className="plain"
                text={new URL(ConsoleRoute.link(below(place, entry.name)).href, location.origin).href}
                label={
                  <>
                    Copy<span className="spoken"> the link to {entry.name}</span>
                  </>
                }
              />
            ]
          }}
        />
      )}
      <p className="inset ruled small soft">
        ~ is the size that the folder states, with the encoding of everything below. Other sizes are proven by a
        file&apos;s first block.
      </p>
      {isCut ? (
        <p className="inset ruled row wrap small">
          <span className="soft">The folder has more names than the {grouped(entries.length)} that were read.</span>
          {entries.length < ContentReads.MAX_ENTRIES ? (
            <button type="button" className="button" onClick={onMore}>
              Read up to {grouped(entries.length * 10)}
            </button>
          ) : (
            <span className="soft">Type a name above to look it up.</span>
          )}
        </p>
      ) : null}
    </>
  )
}

const below = (place: ConsoleRoute.IpfsRoute, name: string): ConsoleRoute.IpfsRoute => ({
  ...place,
  view: undefined,
  path: [...(place.path ?? []), name]
})

const Name = ({
  entry: { cid, isNamed, name, said },
  place
}: {
  readonly entry: ContentReads.ContentEntry
  readonly place: ConsoleRoute.IpfsRoute
}) => (
  <span className="entry-name">
    <EntryKind cid={cid} said={said} />
    {isNamed ? (
      <a href={ConsoleRoute.link(below(place, name)).href}>{name}</a>
    ) : (
      <span>
        {name} <span className="quiet small">the name is not UTF-8: open the entry by its CID</span>
      </span>
    )}
  </span>
)

const Pinned = ({
  isDirect,
  isWithin,
  name,
  onPin
}: {
  readonly isDirect: boolean
  readonly isWithin: boolean
  readonly name: string
  readonly onPin: () => void
}): ReactNode => {
  if (isDirect) return "pinned"
  if (isWithin) return <span className="soft">with its folder</span>
  return (
    <button type="button" className="plain" onClick={onPin}>
      Pin<span className="spoken"> {name}</span>
    </button>
  )
}
