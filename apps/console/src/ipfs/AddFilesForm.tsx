/** Adds files: the page computes the CIDs, uploads the files, and compares the service's CIDs with its own. */
import "../parts/dropTarget.css"
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import { type DragEvent, useEffect, useId, useRef, useState } from "react"

import type * as PageSession from "../chain/PageSession.ts"
import { count, grouped } from "../look/TextFormats.ts"
import { VerdictChip, VerdictWord } from "../look/VerdictMark.tsx"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import * as AddWithCids from "./AddWithCids.ts"
import { CidLink } from "./CidLink.tsx"
import { tell, type TroubleText } from "./IpfsTrouble.tsx"

type State =
  | { readonly _tag: "Idle" }
  | { readonly _tag: "Refused"; readonly text: string }
  | { readonly _tag: "Hashing"; readonly bytes: number; readonly all: number }
  | {
      readonly _tag: "Ready"
      readonly given: ReadonlyArray<AddWithCids.ChosenFile>
      readonly computed: AddWithCids.ComputedCids
    }
  | { readonly _tag: "Sending"; readonly computed: AddWithCids.ComputedCids; readonly part: number }
  | { readonly _tag: "Failed"; readonly told: TroubleText; readonly computed: AddWithCids.ComputedCids }
  | {
      readonly _tag: "Done"
      readonly computed: AddWithCids.ComputedCids
      readonly compared: ReadonlyArray<AddWithCids.ComparedCid>
    }

/** The sheet that adds files. Without a key, the page still computes the CID, but sends nothing. */
export const AddFilesForm = ({
  access,
  onAdded
}: {
  readonly access: PageSession.ProjectAccess | undefined
  readonly onAdded: () => void
}) => {
  const [state, setState] = useState<State>({ _tag: "Idle" })
  const [isOver, setOver] = useState(false)
  const work = useRef<Fiber.Fiber<unknown, unknown> | undefined>(undefined)
  useEffect(
    () => () => void (work.current === undefined ? undefined : Effect.runFork(Fiber.interrupt(work.current))),
    []
  )
  const cancel = (): void => {
    if (work.current !== undefined) Effect.runFork(Fiber.interrupt(work.current))
    setState({ _tag: "Idle" })
  }
  const send = (
    given: ReadonlyArray<AddWithCids.ChosenFile>,
    computed: AddWithCids.ComputedCids,
    access: PageSession.ProjectAccess
  ): void => {
    setState({ _tag: "Sending", computed, part: 0 })
    const sending = AddWithCids.send(access, given, computed, (part) => setState({ _tag: "Sending", computed, part }))
    work.current = Effect.runFork(
      Effect.map(Effect.result(sending), (sent) => {
        if (Result.isFailure(sent)) {
          setState({ _tag: "Failed", told: tell(sent.failure), computed })
        } else {
          setState({ _tag: "Done", computed, compared: sent.success })
          onAdded()
        }
      })
    )
  }
  const take = (given: ReadonlyArray<AddWithCids.ChosenFile>): void => {
    const refused = AddWithCids.refusalOf(given)
    if (refused !== undefined) {
      setState({ _tag: "Refused", text: refused })
      return
    }
    const all = given.reduce((sum, { file }) => sum + (file?.size ?? 0), 0)
    setState({ _tag: "Hashing", bytes: 0, all })
    work.current = Effect.runFork(
      Effect.map(
        Effect.result(AddWithCids.compute(given, (bytes) => setState({ _tag: "Hashing", bytes, all }))),
        (computed) => {
          if (Result.isFailure(computed)) setState({ _tag: "Refused", text: computed.failure.message })
          else if (access === undefined) setState({ _tag: "Ready", given, computed: computed.success })
          else send(given, computed.success, access)
        }
      )
    )
  }
  const drop = (event: DragEvent): void => {
    event.preventDefault()
    setOver(false)
    void AddWithCids.dropped(event.dataTransfer).then(take, () =>
      setState({ _tag: "Refused", text: "The browser cannot read what was dropped. Choose the files instead." })
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
      <h2>Drop files or a folder here</h2>
      <p className="soft">The page computes the CID first, sends the files, and compares the service&apos;s answer.</p>
      <Choose onGiven={take} />
      {state._tag === "Idle" ? null : (
        <div className="outcome" aria-live="polite">
          <Outcome state={state} onCancel={cancel} />
          {state._tag === "Ready" && access !== undefined ? (
            <button type="button" className="button primary" onClick={() => send(state.given, state.computed, access)}>
              Send it now
            </button>
          ) : null}
        </div>
      )}
    </section>
  )
}

const Choose = ({ onGiven }: { readonly onGiven: (given: ReadonlyArray<AddWithCids.ChosenFile>) => void }) => {
  const files = useId()
  const folder = useId()
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.setAttribute("webkitdirectory", ""), [])
  const change = (target: HTMLInputElement): void => {
    onGiven(AddWithCids.chosen(target.files ?? []))
    target.value = ""
  }
  return (
    <p className="row wrap">
      <input
        id={files}
        type="file"
        className="spoken"
        aria-label="Choose files"
        multiple
        onChange={({ target }) => change(target)}
      />
      <label className="button primary" htmlFor={files}>
        Choose files
      </label>
      <input
        ref={field}
        id={folder}
        type="file"
        className="spoken"
        aria-label="Choose a folder"
        onChange={({ target }) => change(target)}
      />
      <label className="button" htmlFor={folder}>
        Choose a folder
      </label>
    </p>
  )
}

const Outcome = ({
  onCancel,
  state
}: {
  readonly state: Exclude<State, { readonly _tag: "Idle" }>
  readonly onCancel: () => void
}) => {
  switch (state._tag) {
    case "Refused":
      return (
        <p className="problem" role="alert">
          {state.text}
        </p>
      )
    case "Hashing":
      return (
        <Progress
          name="Hashing in this page"
          part={state.all === 0 ? 1 : state.bytes / state.all}
          onCancel={onCancel}
        />
      )
    case "Sending":
      return (
        <>
          <Named computed={state.computed} />
          <Progress
            name={state.part < 1 ? "Sending" : "The service is storing it"}
            part={state.part}
            onCancel={onCancel}
          />
        </>
      )
    case "Ready":
      return (
        <>
          <Named computed={state.computed} />
          <p className="soft small">Nothing was sent. To store it, enter a key and its secret.</p>
        </>
      )
    case "Failed":
      return (
        <>
          <Named computed={state.computed} />
          <p className="problem" role="alert">
            <b>{state.told.title}.</b> {state.told.text}
          </p>
        </>
      )
    case "Done":
      return <Done {...state} />
  }
}

const Named = ({ computed: { bytes, cids, root } }: { readonly computed: AddWithCids.ComputedCids }) => (
  <p>
    <span className="whole">{Cid.toText(root)}</span>
    <br />
    <span className="small quiet">
      {grouped(bytes)} bytes, {count(cids.size, "CID")} computed in this page
    </span>
  </p>
)

const Progress = ({
  name,
  onCancel,
  part
}: {
  readonly name: string
  readonly part: number
  readonly onCancel: () => void
}) => (
  <div className="row">
    <progress value={part} max={1} aria-label={name} />
    <span className="small soft">
      {name}, {Math.floor(part * 100)} %
    </span>
    <button type="button" className="button" onClick={onCancel}>
      Cancel
    </button>
  </div>
)

/** Maximum number of listed files of an outcome. Refuted files come first. */
const MAX_ROWS = 100

const Done = ({
  compared,
  computed
}: {
  readonly computed: AddWithCids.ComputedCids
  readonly compared: ReadonlyArray<AddWithCids.ComparedCid>
}) => {
  const wrong = compared.filter(({ word }) => word === "REFUTED")
  const word = wrong.length > 0 ? "REFUTED" : "VERIFIED"
  const rows = [...wrong, ...compared.filter(({ word }) => word !== "REFUTED")].slice(0, MAX_ROWS)
  return (
    <>
      <div className="added">
        <VerdictChip word={word} large />
        <div>
          <p className="whole">{Cid.toText(computed.root)}</p>
          <p className="small soft">
            {word === "VERIFIED"
              ? `The service answered the ${compared.length === 1 ? "CID" : `${grouped(compared.length)} CIDs`} that this page computed.`
              : `The service answered ${count(wrong.length, "other CID")} than this page computed.`}
          </p>
        </div>
        {word === "VERIFIED" ? (
          <a className="button primary" href={ConsoleRoute.link({ _tag: "Ipfs", cid: Cid.toText(computed.root) }).href}>
            Look at it
          </a>
        ) : null}
      </div>
      {compared.length === 1 && word === "VERIFIED" ? null : (
        <div className="scroll">
          <table>
            <thead>
              <tr>
                <th>Name</th>
                <th>Computed here</th>
                <th>Answered</th>
                <th className="end">Verdict</th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ computed, path, said, word }) => (
                <tr key={path}>
                  <td>{path === "" ? "all together" : path}</td>
                  <td>{computed === undefined ? "nothing" : <CidLink cid={computed} />}</td>
                  <td className="whole">
                    {word === "VERIFIED" ? <span className="quiet">the same</span> : (said ?? "nothing").slice(0, 100)}
                  </td>
                  <td className="end">
                    <VerdictWord word={word} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {compared.length > MAX_ROWS ? (
        <p className="small quiet">{count(compared.length - MAX_ROWS, "more name")}</p>
      ) : null}
    </>
  )
}
