/** The files that the service keeps for the key's project, by their names. */
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as Cause from "effect/Cause"
import type * as Effect from "effect/Effect"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import * as Result from "effect/Result"
import { type ReactNode, useMemo, useState } from "react"

import type * as PageSession from "../chain/PageSession.ts"
import { VirtualTable } from "../charts/VirtualTable.tsx"
import { Copied } from "../look/Hash.tsx"
import { count, grouped } from "../look/TextFormats.ts"
import { registry, useAtom } from "../look/useAtom.ts"
import type { ReadFailure } from "../parts/ReadState.tsx"
import { TypedField } from "../parts/TypedField.tsx"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import * as TypedText from "../route/TypedText.ts"
import { CidLink, shortCid } from "./CidLink.tsx"
import { EntryKind, EntrySize } from "./EntryFacts.tsx"
import type * as IpfsStore from "./IpfsStore.ts"
import { tell } from "./IpfsTrouble.tsx"
import * as Pins from "./Pins.ts"

/** The sheet. */
export const PinnedFiles = ({
  access,
  added
}: {
  readonly access: PageSession.ProjectAccess
  /** The CID that the reader added last, which is listed first. */
  readonly added: string | undefined
}) => {
  const result = useAtom(Pins.list)
  const [refused, setRefused] = useState<string | undefined>(undefined)
  const [asked, setAsked] = useState<string | undefined>(undefined)
  const run = (work: (client: IpfsStore.AccessClient) => Effect.Effect<unknown, ReadFailure>): void => {
    void Pins.change(access, work).then((failure) =>
      setRefused(failure === undefined ? undefined : sentenceOf(failure))
    )
  }
  const found = AsyncResult.isFailure(result) ? Cause.findError(result.cause) : undefined
  const problem =
    found === undefined
      ? refused
      : sentenceOf(Result.isSuccess(found) ? found.success : { _tag: "Defect", message: "This page made a mistake." })
  const list = AsyncResult.isSuccess(result) ? result.value : undefined
  const pins = useMemo(() => {
    const all = list?.pins ?? []
    return [...all.filter(({ cid }) => cid === added), ...all.filter(({ cid }) => cid !== added)]
  }, [list, added])
  const names = useMemo(() => Map.groupBy(list?.pins ?? [], ({ name = "" }) => name), [list])
  return (
    <section className="sheet file-list" data-part="files">
      <header>
        <h2>
          Files <span>pinned: the service keeps them for this key&apos;s project</span>
        </h2>
        {list === undefined ? null : (
          <span className="small soft count">
            {list.isCut ? `the first ${grouped(Pins.MAX_PINS)}` : count(list.pins.length, "pin")}
          </span>
        )}
      </header>
      {problem === undefined ? null : (
        <p className="inset row wrap" role="alert">
          <span className="problem">{problem}</span>
          <button type="button" className="plain" onClick={() => registry.refresh(Pins.list)}>
            Try again
          </button>
        </p>
      )}
      {list === undefined ? (
        problem === undefined ? (
          <p className="inset quiet">Reading the list of files …</p>
        ) : null
      ) : list.pins.length === 0 ? (
        <p className="inset soft">Nothing is here yet. What you add is pinned.</p>
      ) : (
        <VirtualTable
          label="Pinned files"
          total={pins.length}
          height={720}
          figuresFrom={1}
          head={["Name", "Size", "CID", { name: "Link", isSpoken: true }, { name: "Pin", isSpoken: true }]}
          row={(index) =>
            rowOf(pins[index]!, {
              isNew: pins[index]!.cid === added,
              isAlone: names.get(pins[index]!.name ?? "")?.length === 1,
              isAsked: asked === pins[index]!.cid,
              onAsk: (isAsked) => setAsked(isAsked ? pins[index]!.cid : undefined),
              onRemove: (cid) => {
                setAsked(undefined)
                run((client) => client.pinRm(cid))
              }
            })
          }
        />
      )}
      <AddPin onPin={(cid, name) => run((client) => client.pinAdd(cid, name === "" ? {} : { name }))} />
    </section>
  )
}

const sentenceOf = (failure: ReadFailure): string => {
  const { text, title } = tell(failure)
  return `${title}. ${text}`
}

const rowOf = (
  { cid: text, name = "" }: Pins.PinList["pins"][number],
  {
    isAlone,
    isAsked,
    isNew,
    onAsk,
    onRemove
  }: {
    /** True for the pin that the reader added last. */
    readonly isNew: boolean
    /** True if no other pin has the name. */
    readonly isAlone: boolean
    readonly isAsked: boolean
    readonly onAsk: (isAsked: boolean) => void
    readonly onRemove: (cid: Pins.PinList["pins"][number]["cid"]) => void
  }
): ReadonlyArray<ReactNode> => {
  const read = Cid.fromText(text)
  const cid = Result.isSuccess(read) ? read.success : undefined
  const { href } = ConsoleRoute.link({ _tag: "Ipfs", cid: text })
  const title = name === "" ? shortCid(text) : name.slice(0, 100)
  return [
    <span key="name" className="entry-name">
      {cid === undefined ? null : <EntryKind cid={cid} />}
      <a href={href} className={name === "" ? "soft" : ""}>
        {title}
      </a>
      {name === "" || isAlone ? null : <span className="small soft mono">{shortCid(text)}</span>}
      {isNew ? <span className="small soft">just added</span> : null}
    </span>,
    cid === undefined ? null : <EntrySize key="size" cid={cid} />,
    cid === undefined ? text.slice(0, 80) : <CidLink key="cid" cid={cid} />,
    <Copied
      key="link"
      className="plain"
      text={new URL(href, location.origin).href}
      label={
        <>
          Copy<span className="spoken"> the link to {title}</span>
        </>
      }
    />,
    isAsked ? (
      <span key="pin" className="row end-row">
        <span className="small soft">Remove it?</span>
        <button type="button" className="button" onClick={() => onRemove(text)}>
          Remove
        </button>
        <button type="button" className="plain" onClick={() => onAsk(false)}>
          Keep
        </button>
      </span>
    ) : (
      <button key="pin" type="button" className="plain" onClick={() => onAsk(true)}>
        Remove<span className="spoken"> the pin {title}</span>…
      </button>
    )
  ]
}

const AddPin = ({ onPin }: { readonly onPin: (cid: Cid.Cid, name: string) => void }) => {
  const [text, setText] = useState("")
  const [name, setName] = useState("")
  const [isAsked, ask] = useState(false)
  const cid = Cid.fromText(TypedText.cidOf(text.trim()) ?? text.trim())
  return (
    <form
      className="inset ruled typed-row add-pin"
      onSubmit={(event) => {
        event.preventDefault()
        ask(Result.isFailure(cid))
        if (Result.isFailure(cid)) return
        onPin(cid.success, name.trim())
        setText("")
        setName("")
      }}
    >
      <TypedField
        id="pin"
        aria-label="CID to pin"
        placeholder="CID to pin"
        value={text}
        onText={setText}
        problem={isAsked && Result.isFailure(cid) ? cid.failure.message : undefined}
      />
      <input
        className="field"
        aria-label="Name of the pin"
        placeholder="Name, if you like"
        maxLength={100}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <button type="submit" className="button">
        Pin it
      </button>
    </form>
  )
}
