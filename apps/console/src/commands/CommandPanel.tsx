/** Shows one command of IPFS: its form, its request as programs, and the answer with its verdict. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { useEffect, useMemo, useRef, useState } from "react"

import { AccessForm } from "../access/AccessForm.tsx"
import * as PageSession from "../chain/PageSession.ts"
import type * as Proving from "../chain/Proving.ts"
import * as IpfsStore from "../ipfs/IpfsStore.ts"
import { Copied } from "../look/Hash.tsx"
import { StatePanel } from "../look/StatePanel.tsx"
import { count } from "../look/TextFormats.ts"
import { useAtom } from "../look/useAtom.ts"
import { MethodAnswer } from "../playground/MethodAnswer.tsx"
import { ParameterFields } from "../playground/ParameterFields.tsx"
import type * as SchemaForms from "../playground/SchemaForms.ts"
import { YOUR_KEY, YOUR_SECRET } from "../programs/ProgramParts.ts"
import { RequestForms } from "../programs/RequestForms.tsx"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import * as CommandForms from "./CommandForms.ts"
import * as CommandPrograms from "./CommandPrograms.ts"
import * as RunCommand from "./RunCommand.ts"

/** The progress of a question. */
type State =
  | { readonly _tag: "Idle" }
  | { readonly _tag: "Waiting" }
  | { readonly _tag: "Answered"; readonly outcome: Proving.ProvingOutcome }

/** The screen of a command. */
export const CommandPanel = ({
  command,
  place
}: {
  readonly place: ConsoleRoute.CommandsRoute
  readonly command: CommandForms.DescribedCommand
}) => {
  const [texts, setTexts] = useState<SchemaForms.FieldTexts>(() => CommandForms.write(command, place.params))
  const [files, setFiles] = useState<ReadonlyArray<File>>([])
  const [isTried, setTried] = useState(false)
  const [isOpen, setOpen] = useState(false)
  const [state, setState] = useState<State>({ _tag: "Idle" })
  const running = useRef<AbortController | undefined>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const access = useAtom(PageSession.access)
  const service = useAtom(PageSession.service)
  const start = Option.getOrUndefined(AsyncResult.value(useAtom(PageSession.start)))
  const { mistakes, question } = useMemo(() => CommandForms.read(command, texts), [command, texts])
  const lacksFile = command.upload !== undefined && files.length === 0
  const onText = (path: string, text: string): void => setTexts((before) => ({ ...before, [path]: text }))
  // options from the link are always shown; an option that is filled in later stays in the folded list, so it keeps the
  // focus
  const [shown] = useState(() => new Set(command.options.flatMap(({ name }) => (name in texts ? [name] : []))))
  const isShown = ({ name }: { readonly name: string }): boolean => shown.has(name)
  const filled = command.options.filter((option) => !isShown(option) && (texts[option.name] ?? "") !== "")
  const { args, options, upload } = command
  const optionOf = (param: CommandForms.DescribedCommand["options"][number]) => (
    <ParameterFields
      key={param.name}
      param={param}
      isMarked={false}
      texts={texts}
      mistake={isTried ? mistakes[param.name] : undefined}
      onText={onText}
    />
  )

  const submit = (): void => {
    setTried(true)
    if (filled.some(({ name }) => name in mistakes)) setOpen(true)
    if (Object.keys(mistakes).length > 0 || lacksFile || access === undefined) return
    // writes the question to the address, without rendering the screen again; files do not fit into an address
    history.replaceState(null, "", ConsoleRoute.link({ ...place, params: CommandForms.toText(question) }).href)
    running.current?.abort()
    const turn = new AbortController()
    running.current = turn
    setState({ _tag: "Waiting" })
    const asked = Effect.flatMap(IpfsStore.clientOf(access), (client) => RunCommand.ask(client, { ...question, files }))
    void Effect.runPromiseExit(asked, { signal: turn.signal }).then((exit) => {
      if (!turn.signal.aborted) setState({ _tag: "Answered", outcome: outcomeOf(exit) })
    })
  }

  return (
    <>
      <p className="small">
        <a href={ConsoleRoute.link({ _tag: "Commands" }).href}>All commands of IPFS</a>
      </p>
      <div className="lead">
        <div>
          <h1 className="mono method-name">{command.name}</h1>
          <p className="soft">{command.doc}</p>
        </div>
      </div>
      <form
        className="sheet"
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <header>
          <h2>
            Arguments <span>{args.length === 0 && upload === undefined ? "it takes none" : ""}</span>
          </h2>
        </header>
        <div className="inset form below-header">
          {upload === undefined ? null : (
            <Upload upload={upload} files={files} onFiles={setFiles} isWrong={isTried && lacksFile} />
          )}
          {args.map((param) => (
            <ParameterFields
              key={param.name}
              param={param}
              texts={texts}
              mistake={isTried ? mistakes[param.name] : undefined}
              onText={onText}
            />
          ))}
          {options.filter(isShown).map(optionOf)}
          <details className="more" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
            <summary>
              {count(options.length - shown.size, shown.size === 0 ? "option" : "more option")}{" "}
              <small>{filled.map(({ name }) => name).join(", ")}</small>
            </summary>
            <div className="command-options">{options.filter((option) => !isShown(option)).map(optionOf)}</div>
          </details>
          <p className="row wrap">
            <button type="submit" className="button primary" disabled={state._tag === "Waiting"}>
              {state._tag === "Waiting" ? "Running …" : "Run the command"}
            </button>
            <Copied
              text={
                new URL(ConsoleRoute.link({ ...place, params: CommandForms.toText(question) }).href, location.origin)
                  .href
              }
              label="Copy link"
            />
            {access === undefined ? null : (
              <span className="small soft">It runs with the key that you entered; its project pays.</span>
            )}
          </p>
        </div>
      </form>
      <RequestForms
        programs={CommandPrograms.of({ ...question, files: files.map(({ name }) => name) }, service)}
        note={
          <>
            Put your API key and its secret in the places of <code>{YOUR_KEY}</code> and <code>{YOUR_SECRET}</code>.
            This page writes neither into programs or links.
          </>
        }
      />
      {start?.ipfs === false ? (
        <StatePanel
          kind="No IPFS"
          title="This service has no IPFS"
          text="Its configuration says ipfs: { node: none }. The programs work with a service that has one."
        >
          <a className="button" href="/console/">
            Go to the explorer
          </a>
        </StatePanel>
      ) : isTried && access === undefined ? (
        <KeyPanel title="Commands of IPFS take an API key and its secret" />
      ) : null}
      {state._tag === "Answered" ? (
        <MethodAnswer
          answered={{ question: { method: command.name, params: [] }, outcome: state.outcome, sent: [] }}
          refused={<KeyPanel title="The service does not accept this key and secret" />}
          again={submit}
        />
      ) : null}
    </>
  )
}

/** Returns the outcome of a question. If the client could not be made, the question failed. */
const outcomeOf = (
  exit: Exit.Exit<Proving.ProvingOutcome, Parameters<typeof RunCommand.failureOf>[0]>
): Proving.ProvingOutcome => {
  if (Exit.isSuccess(exit)) return exit.value
  const [first] = exit.cause.reasons
  return {
    _tag: "FAILED",
    failure:
      first !== undefined && Cause.isFailReason(first)
        ? RunCommand.failureOf(first.error)
        : {
            kind: "Defect",
            code: undefined,
            status: undefined,
            retryAfter: undefined,
            message: "This page made a mistake."
          }
  }
}

const KeyPanel = ({ title }: { readonly title: string }) => (
  <StatePanel
    kind="A key is needed"
    title={title}
    text="Both stay in the memory of this page: they are in no address, no storage and no log, and are gone after a reload. Then run the command again."
  >
    <AccessForm />
  </StatePanel>
)

/** The field for the files that a command sends. */
const Upload = ({
  files,
  isWrong,
  onFiles,
  upload: { doc, isVariadic, name }
}: {
  readonly upload: NonNullable<CommandForms.DescribedCommand["upload"]>
  readonly files: ReadonlyArray<File>
  readonly onFiles: (files: ReadonlyArray<File>) => void
  readonly isWrong: boolean
}) => (
  <div className="form-row">
    <label htmlFor="field-upload">
      {name} <small>{doc}</small>
    </label>
    <div className="command-files">
      <input
        id="field-upload"
        className="field"
        type="file"
        multiple={isVariadic}
        aria-invalid={isWrong}
        aria-describedby={isWrong ? "fault-upload" : undefined}
        onChange={({ target }) => onFiles([...(target.files ?? [])])}
      />
      {isWrong ? (
        <p className="small fault" id="fault-upload">
          Needed
        </p>
      ) : files.length > 1 ? (
        <p className="small quiet">{files.map(({ name }) => name).join(", ")}</p>
      ) : null}
    </div>
  </div>
)
