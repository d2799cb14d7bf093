/** Adds files: the page computes the CIDs, uploads the files, and compares the service's CIDs with its own. */
import "../parts/dropTarget.css"
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import { type DragEvent, useEffect, useId, useRef, useState } from "react"

import { AccessForm } from "../access/AccessForm.tsx"
import * as PageSession from "../chain/PageSession.ts"
import { Table, TableRow } from "../look/Table.tsx"
import { bytes, count, grouped } from "../look/TextFormats.ts"
import { registry, setAtom } from "../look/useAtom.ts"
import { VerdictChip, VerdictWord } from "../look/VerdictMark.tsx"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import * as AddWithCids from "./AddWithCids.ts"
import { CidLink } from "./CidLink.tsx"
import { CopyLink } from "./CopyLink.tsx"
import { tell, type TroubleText } from "./IpfsTrouble.tsx"

type State =
  | { readonly _tag: "Idle" }
  | { readonly _tag: "Refused"; readonly text: string }
  | {
      readonly _tag: "Unreadable"
      readonly given: ReadonlyArray<AddWithCids.ChosenFile>
      readonly failed: AddWithCids.UnreadableFiles
    }
  | { readonly _tag: "Hashing"; readonly given: ReadonlyArray<AddWithCids.ChosenFile>; readonly part: number }
  | {
      readonly _tag: "Ready"
      readonly given: ReadonlyArray<AddWithCids.ChosenFile>
      readonly computed: AddWithCids.ComputedCids
    }
  | {
      readonly _tag: "Sending"
      readonly given: ReadonlyArray<AddWithCids.ChosenFile>
      readonly computed: AddWithCids.ComputedCids
      readonly part: number
    }
  | {
      readonly _tag: "Failed"
      readonly told: TroubleText
      readonly given: ReadonlyArray<AddWithCids.ChosenFile>
      readonly computed: AddWithCids.ComputedCids
    }
  | {
      readonly _tag: "Done"
      readonly given: ReadonlyArray<AddWithCids.ChosenFile>
      readonly computed: AddWithCids.ComputedCids
      readonly compared: ReadonlyArray<AddWithCids.ComparedCid>
    }

/** The sheet that adds files. Without a key, the page still computes the CID, but sends nothing. */
export const AddFilesForm = ({
  access,
  onAdded,
  onWaiting
}: {
  readonly access: PageSession.ProjectAccess | undefined
  /** Gets the CID of everything that was added together. */
  readonly onAdded: (cid: string) => void
  /** Gets true while files wait for a key, whose form is beside them. */
  readonly onWaiting: (isWaiting: boolean) => void
}) => {
  const [state, setState] = useState<State>({ _tag: "Idle" })
  const [isOver, setOver] = useState(false)
  const work = useRef<Fiber.Fiber<unknown, unknown> | undefined>(undefined)
  useEffect(
    () => () => void (work.current === undefined ? undefined : Effect.runFork(Fiber.interrupt(work.current))),
    []
  )
  const choices = useRef(0)
  /** Ends what is under way, so that its outcome does not take the place of a later one. */
  const stop = (): void => {
    choices.current++
    if (work.current !== undefined) Effect.runFork(Fiber.interrupt(work.current))
    work.current = undefined
  }
  const cancel = (): void => {
    stop()
    setState({ _tag: "Idle" })
  }
  const send = (
    given: ReadonlyArray<AddWithCids.ChosenFile>,
    computed: AddWithCids.ComputedCids,
    access: PageSession.ProjectAccess
  ): void => {
    const show = (part: number): void => setState({ _tag: "Sending", given, computed, part })
    show(0)
    const sending = AddWithCids.send(access, given, computed, show)
    work.current = Effect.runFork(
      Effect.map(Effect.result(sending), (sent) => {
        if (Result.isFailure(sent)) {
          setState({ _tag: "Failed", told: tell(sent.failure), given, computed })
        } else {
          setState({ _tag: "Done", given, computed, compared: sent.success })
          onAdded(Cid.toText(computed.root))
        }
      })
    )
  }
  const isReady = state._tag === "Ready"
  useEffect(() => {
    // the reader chose the files, and then the key to store them with
    if (state._tag === "Ready" && access !== undefined) send(state.given, state.computed, access)
    // only a new key, or new files, begin to send
    // oxlint-disable-next-line react/exhaustive-deps
  }, [isReady, access])
  useEffect(() => {
    if (state._tag !== "Sending" || access !== undefined) return
    // nothing is sent with the key of a session that has ended, or with one that the reader took back
    stop()
    setState({ _tag: "Failed", told: STOPPED, given: state.given, computed: state.computed })
    // only the loss of the key ends what is under way
    // oxlint-disable-next-line react/exhaustive-deps
  }, [access])
  // the form stays where it is when the page has hashed the files: a key may be half typed
  const isWaiting = access === undefined && (isReady || state._tag === "Hashing")
  useEffect(() => onWaiting(isWaiting), [isWaiting, onWaiting])
  const take = (chosen: ReadonlyArray<AddWithCids.ChosenFile>): void => {
    stop()
    const refused = AddWithCids.refusalOf(chosen)
    if (refused !== undefined) {
      setState({ _tag: "Refused", text: refused })
      return
    }
    const given = AddWithCids.ordered(chosen)
    const all = AddWithCids.sizeOf(given)
    const show = (bytes: number): void => setState({ _tag: "Hashing", given, part: all === 0 ? 1 : bytes / all })
    show(0)
    work.current = Effect.runFork(
      Effect.map(Effect.result(AddWithCids.compute(given, show)), (computed) => {
        if (Result.isFailure(computed)) {
          setState({ _tag: "Unreadable", given, failed: computed.failure })
          return
        }
        // the key can have been entered, or have ended with its session, meanwhile
        const access = registry.get(PageSession.access)
        if (access === undefined) setState({ _tag: "Ready", given, computed: computed.success })
        else send(given, computed.success, access)
      })
    )
  }
  const drop = (event: DragEvent): void => {
    event.preventDefault()
    setOver(false)
    stop()
    const choice = choices.current
    void AddWithCids.dropped(event.dataTransfer).then(
      (dropped) => {
        if (choice === choices.current) take(dropped)
      },
      () => {
        const text = "The browser cannot read what was dropped. Choose the files instead."
        if (choice === choices.current) setState({ _tag: "Refused", text })
      }
    )
  }
  return (
    <section
      className={`target ipfs-target${isOver ? " over" : ""}`}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <h2>Add files or a folder</h2>
      <Choose onGiven={take} isNext={state._tag === "Idle" || state._tag === "Refused"} />
      <p className="soft">
        <span className="drop-hint">They can be dropped here, too. </span>The page computes the CID first, sends the
        files, and compares the service&apos;s answer.
        {access === undefined ? " They are sent once you have chosen a project, or entered a key." : null}
      </p>
      {state._tag === "Idle" ? null : (
        <div className="outcome" aria-live="polite">
          <Outcome state={state} onCancel={cancel} onTake={take} />
          {isWaiting ? (
            <>
              <p className="soft small">Nothing was sent. To store it, enter an API key and its secret.</p>
              <AccessForm stores />
            </>
          ) : null}
          {state._tag === "Failed" ? (
            <p className="row wrap">
              {access === undefined ? null : (
                <button
                  type="button"
                  className="button primary"
                  onClick={() => send(state.given, state.computed, access)}
                >
                  Send it again
                </button>
              )}
              {state.told.wantsKey || access === undefined ? (
                <button
                  type="button"
                  className="button"
                  onClick={() => {
                    setAtom(PageSession.access, undefined)
                    setState({ _tag: "Ready", given: state.given, computed: state.computed })
                  }}
                >
                  Enter another key
                </button>
              ) : null}
            </p>
          ) : null}
        </div>
      )}
    </section>
  )
}

/** The words for files whose key was taken away while they were sent. */
const STOPPED: TroubleText = {
  kind: "Stopped",
  title: "Sending was stopped",
  text: "The key is no longer in use: you have signed out, or taken it back. What the service has already stored stays there. Enter a key to send the files again.",
  wantsKey: true
}

/** True if the reader can choose a folder in this browser. Some browsers of phones lack it. */
const takesFolders = (): boolean => "webkitdirectory" in HTMLInputElement.prototype

const Choose = ({
  isNext,
  onGiven
}: {
  /** True if choosing files is the next step. Otherwise the primary button is elsewhere. */
  readonly isNext: boolean
  readonly onGiven: (given: ReadonlyArray<AddWithCids.ChosenFile>) => void
}) => {
  const files = useId()
  const folder = useId()
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.setAttribute("webkitdirectory", ""), [])
  const change = (target: HTMLInputElement): void => {
    onGiven(AddWithCids.chosen(target.files ?? []))
    target.value = ""
  }
  return (
    <div className="row wrap">
      <input
        id={files}
        type="file"
        className="spoken"
        aria-label="Add files"
        multiple
        onChange={({ target }) => change(target)}
      />
      <label className={isNext ? "button primary" : "button"} htmlFor={files}>
        Add files
      </label>
      {takesFolders() ? (
        <>
          <input
            ref={field}
            id={folder}
            type="file"
            className="spoken"
            aria-label="Add a folder"
            onChange={({ target }) => change(target)}
          />
          <label className="button" htmlFor={folder}>
            Add a folder
          </label>
        </>
      ) : (
        <p className="small soft">This browser can choose files, but no folder.</p>
      )}
    </div>
  )
}

const Outcome = ({
  onCancel,
  onTake,
  state
}: {
  readonly state: Exclude<State, { readonly _tag: "Idle" }>
  readonly onCancel: () => void
  readonly onTake: (given: ReadonlyArray<AddWithCids.ChosenFile>) => void
}) => {
  switch (state._tag) {
    case "Refused":
      return (
        <p className="problem" role="alert">
          {state.text}
        </p>
      )
    case "Unreadable":
      return <Unreadable given={state.given} failed={state.failed} onTake={onTake} />
    case "Hashing":
      return <Progress name="Hashing in this page" {...state} onCancel={onCancel} />
    case "Sending":
      return (
        <>
          <Named {...state} />
          <Progress
            name={state.part < 1 ? "Sending" : "The service is storing it"}
            given={state.given}
            part={state.part}
            onCancel={onCancel}
          />
        </>
      )
    case "Ready":
      return <Named {...state} />
    case "Failed":
      return (
        <>
          <Named {...state} />
          <p className="problem" role="alert">
            <b>{state.told.title}.</b> {state.told.text}
          </p>
        </>
      )
    case "Done":
      return <Done {...state} />
  }
}

/** The name, the number of files, the size and the CID of what was chosen. */
const Named = ({ computed, given }: Pick<Extract<State, { readonly _tag: "Ready" }>, "computed" | "given">) => (
  <p>
    <b className="whole-name">{AddWithCids.nameOf(given, computed)}</b>{" "}
    <span className="small soft">{factsOf(given)}</span>
    <br />
    <span className="whole">{Cid.toText(computed.root)}</span>
    <br />
    <span className="small quiet">
      {computed.cids.size === 1 ? "its CID" : `its CID, and ${count(computed.cids.size - 1, "CID")} in it`}, computed in
      this page
    </span>
  </p>
)

const factsOf = (given: ReadonlyArray<AddWithCids.ChosenFile>): string =>
  `${count(given.filter(({ file }) => file !== undefined).length, "file")}, ${bytes(AddWithCids.sizeOf(given))}`

/** The files that the browser cannot read, each with the reason, and the way on without them. */
const Unreadable = ({
  failed: { files, message },
  given,
  onTake
}: {
  readonly given: ReadonlyArray<AddWithCids.ChosenFile>
  readonly failed: AddWithCids.UnreadableFiles
  readonly onTake: (given: ReadonlyArray<AddWithCids.ChosenFile>) => void
}) => {
  const wrong = new Set(files.map(({ path }) => path))
  const others = given.filter(({ path }) => !wrong.has(path.join("/")))
  return (
    <div role="alert" className="stack">
      <p className="problem">{message} Nothing was sent.</p>
      <ul className="file-progress">
        {files.slice(0, MAX_ROWS).map(({ path, why }) => (
          <li key={path}>
            <span className="whole">{path}</span>
            <span className="small problem">{why}</span>
          </li>
        ))}
      </ul>
      {files.length === 0 || others.length === 0 ? null : (
        <p>
          <button type="button" className="button" onClick={() => onTake(others)}>
            Add the {others.length === 1 ? "other one" : `other ${grouped(others.length)}`}
          </button>
        </p>
      )}
    </div>
  )
}

/** Maximum number of files whose progress is shown: the one under way, those before it and those after it. */
const SHOWN = 6

/** The progress of everything, and of each file around the one that is under way. */
const Progress = ({
  given,
  name,
  onCancel,
  part
}: {
  readonly name: string
  readonly given: ReadonlyArray<AddWithCids.ChosenFile>
  readonly part: number
  readonly onCancel: () => void
}) => {
  const parts = AddWithCids.partsOf(given, part)
  const under = parts.findIndex((part) => part < 1)
  const at = under < 0 ? given.length : under
  const from = Math.max(0, Math.min(at - 2, given.length - SHOWN))
  return (
    <>
      <div className="row">
        <progress value={part} max={1} aria-label={name} />
        <span className="small soft">
          {name}, {Math.floor(part * 100)} %
          {given.length < 2 ? "" : `, ${grouped(at)} of ${grouped(given.length)} files`}
        </span>
        <button type="button" className="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
      {given.length < 2 ? null : (
        // the line above says it to a screen reader, once
        <ul className="file-progress" aria-hidden="true">
          {given.slice(from, from + SHOWN).map(({ path }, index) => (
            <li key={path.join("/")}>
              <span className="ellipsis">{path.join("/")}</span>
              <progress value={parts[from + index]} max={1} />
              <span className="small soft">{Math.floor(parts[from + index]! * 100)} %</span>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

/** Maximum number of listed files of an outcome. Refuted files come first. */
const MAX_ROWS = 100

const Done = ({
  compared,
  computed,
  given
}: {
  readonly given: ReadonlyArray<AddWithCids.ChosenFile>
  readonly computed: AddWithCids.ComputedCids
  readonly compared: ReadonlyArray<AddWithCids.ComparedCid>
}) => {
  const wrong = compared.filter(({ word }) => word === "REFUTED")
  const word = wrong.length > 0 ? "REFUTED" : "VERIFIED"
  const rows = [...wrong, ...compared.filter(({ word }) => word !== "REFUTED")].slice(0, MAX_ROWS)
  const added = useRef<HTMLDivElement>(null)
  // on a phone, the outcome can be below the window
  useEffect(() => {
    added.current?.scrollIntoView({ block: "nearest" })
  }, [])
  return (
    <>
      <div ref={added} className="added">
        <VerdictChip word={word} large />
        <div>
          <p>
            <b className="whole-name">{AddWithCids.nameOf(given, computed)}</b>{" "}
            <span className="small soft">{factsOf(given)}</span>
          </p>
          <p className="whole">{Cid.toText(computed.root)}</p>
          <p className="small soft">
            {word === "VERIFIED"
              ? `Stored, and listed below. The service answered the ${compared.length === 1 ? "CID" : `${grouped(compared.length)} CIDs`} that this page computed.`
              : `The service answered ${count(wrong.length, "other CID")} than this page computed.`}
          </p>
        </div>
        {word === "VERIFIED" ? (
          <span className="row wrap">
            <CopyLink place={{ _tag: "Ipfs", cid: Cid.toText(computed.root) }} />
            <a
              className="button primary"
              href={ConsoleRoute.link({ _tag: "Ipfs", cid: Cid.toText(computed.root) }).href}
            >
              Look at it
            </a>
          </span>
        ) : null}
      </div>
      {compared.length === 1 && word === "VERIFIED" ? null : (
        <details open={word === "REFUTED"}>
          <summary className="small soft">The {grouped(compared.length)} names, with both CIDs of each</summary>
          <div className="scroll">
            <Table
              columns={[
                "Name",
                "Computed here",
                { name: "Answered", className: "whole" },
                { name: "Verdict", className: "end" }
              ]}
            >
              {rows.map(({ computed, path, said, word }) => (
                <TableRow
                  key={path}
                  cells={[
                    path === "" ? "all together" : path,
                    computed === undefined ? "nothing" : <CidLink key="computed" cid={computed} />,
                    word === "VERIFIED" ? (
                      <span key="said" className="quiet">
                        the same
                      </span>
                    ) : (
                      (said ?? "nothing").slice(0, 100)
                    ),
                    <VerdictWord key="verdict" word={word} />
                  ]}
                />
              ))}
            </Table>
          </div>
        </details>
      )}
      {compared.length > MAX_ROWS ? (
        <p className="small quiet">{count(compared.length - MAX_ROWS, "more name")}</p>
      ) : null}
    </>
  )
}
